"""The small Chinese and German set: lists, frames and the writer. Same record as in English.

Each fifth entry of a list belongs to the test set. In German lists the first letter is the gender of the
product (m, f, n); slots: {mein} {Mein} {der} {Der} {er} {Er} {einen} {ihn} agree with it, {X} is the fault.
"""

import random

from fill import Fill

WANTS = ("refund", "replacement", "repair", "information")

DE = {
    "first": "Anneliese|Bernd|Carsten|Dörte|Gisela|Eberhard|Friederike|Gerd|Hannelore|Detlef|Ingo|Jutta|Karl"
    "|Lieselotte|Horst"
    "|Manfred|Norbert|Ortrud|Rainer|Renate|Silke|Thorsten|Ute|Volker|Waltraud|Wiebke|Ayşe|Murat|Elif|Milan",
    "last": "Ackermann|Brinkmann|Drechsler|Ebert|Vogt|Faßbender|Gottschalk|Hinrichs|Jäger|Lindemann|Kleinschmidt"
    "|Lorenz|Mühlbauer"
    "|Niemeyer|Pfeiffer|Öztürk|Quandt|Reuter|Sauer|Kaminski|Thiele|Uhlig|Voigt|Wirth|Zöllner",
    "product": "m Wasserkocher|f Kaffeemaschine|n Tablet|m Staubsauger|m Akkuschrauber|f Stehlampe|n Bücherregal"
    "|m Kopfhörer"
    "|f Regenjacke|n Zelt|m Rasenmäher|f Bratpfanne|n Headset|m Schreibtisch|f Armbanduhr|m Toaster|f Waschmaschine"
    "|n Fahrradschloss"
    "|m Drucker|m Kinderwagen|f Matratze|n Hörbuch|m Rucksack|f Heckenschere|n Babyfon|m Ventilator|f Bohrmaschine"
    "|n Puzzle"
    "|m Bürostuhl|f Küchenwaage",
    "brand": "Velmora|Ostrix|Lumtek|Karloft|Fjornova|Brahaus|Zenmark|Norfield|Quilline|Dorvik|Mirwell|Holstad"
    "|Prakin|Solrond"
    "|Tavera|Ulmix|Verhaus|Wexnova|Yorberg|Altkin",
    "model": "|||X2|S-30|Pro|400|Mini|K7|Plus|2000|Air",
    "lost": "ist nie angekommen|kam bis heute nicht an|liegt seit {n} Tagen im Depot"
    "|wurde an die falsche Adresse geliefert"
    "|ging auf dem Postweg verloren|ist seit {n} Tagen überfällig|hängt seit {n} Tagen im Zoll"
    "|fehlte in der Lieferung",
    "use": "ist nicht mehr zu gebrauchen|weist deutliche Mängel auf|ging nach {n} Tagen kaputt|riecht merkwürdig"
    "|wackelt stark"
    "|hat einen Riss in der Mitte|hat überall Kratzer|war schon beim Auspacken beschädigt|hat die falsche Farbe"
    "|ist an der Ecke eingedrückt"
    "|gab nach {n} Wochen den Geist auf|fällt auseinander|hat eine tiefe Delle|kam ohne Zubehör an|ist viel zu klein"
    "|zerbrach beim ersten Gebrauch|hat schon nach {n} Tagen Risse|ist schon benutzt worden"
    "|löst sich in alle Einzelteile auf"
    "|sieht völlig anders aus als auf dem Foto|hat ein Loch an der Seite|kam zerkratzt an|ist unvollständig"
    "|ist schon kaputt|verliert Farbe|stinkt nach Chemie|ist defekt|hielt nur {n} Tage|passt nicht zusammen"
    "|brach am ersten Tag",
    "greet": "Sehr geehrte Damen und Herren,|Guten Tag,|Hallo,|Hallo zusammen,|Moin,|Liebes Team,|Guten Abend,"
    "|Servus,|Hi,|Grüß Gott,",
    "intro": "mein Name ist {name}.|hier schreibt {name}.|ich heiße {name}.|{name} hier.|ich bin {name} aus Kassel."
    "|hier ist {name}.|mein Name: {name}.|ich bin’s, {name}.|ich, {name}, bin Stammkunde bei Ihnen."
    "|es schreibt Ihnen {name}.",
    "sign": "Mit freundlichen Grüßen¶{name}|Viele Grüße, {name}|LG {name}|Gruß¶{name}|Beste Grüße,¶{name}"
    "|Danke, {name}|Hochachtungsvoll¶{name}"
    "|Schönen Tag noch,¶{name}|Tschüss, {name}|Freundliche Grüße, {name}",
    "fault": "{Mein} {P} {X}.|Ich habe bei Ihnen {einen} {P} gekauft, und {er} {X}."
    "|{Der} {P} aus meiner letzten Bestellung {X}."
    "|Leider muss ich melden: {mein} {P} {X}.|Es geht um {mein_a} {P}: {er} {X}.|Problem mit {mein_d} {P}. {Er} {X}."
    "|Vor {n} Wochen habe ich {einen} {P} bestellt. {Er} {X}.|{P} {X}!|Stellen Sie sich vor, {mein} {P} {X}."
    "|{Der} {P} {X}, das ist ärgerlich."
    "|Zu Weihnachten bekam ich {einen} {P}, aber {er} {X}.|Produkt: {P}. Fehler: {X}."
    "|Ich bin enttäuscht, denn {mein} {P} {X}."
    "|Kurz gesagt: {der} {P} {X}.|Meine Frau hat {einen} {P} bei Ihnen bestellt; {er} {X}.|Betrifft {P}: {X}."
    "|Hilfe, {mein} {P} {X}.|Tja, {der} {P} {X} - und nun?|Ich wollte nur sagen, {mein} {P} {X}."
    "|Was soll ich sagen, {mein} {P} {X}.",
    "id": "Meine Bestellnummer ist {id}.|Bestellung {id}.|Die Bestellnummer lautet {id}.|Bestellnr. {id}."
    "|Es geht um die Bestellung {id}."
    "|Auf der Bestätigung steht Bestellung {id}.|Auftragsnummer: {id}.|Bestell-Nr.: {id}."
    "|Bestellt unter der Nummer {id}.|Zur Bestellung: {id}.",
    "refund": "Ich möchte mein Geld zurück.|Bitte erstatten Sie mir den Kaufpreis.|Ich will eine Erstattung."
    "|Bitte überweisen Sie mir den Betrag zurück."
    "|Kann ich das Geld wiederhaben?|Keinen Ersatz bitte, nur das Geld zurück."
    "|Ich trete vom Kauf zurück und verlange den Preis zurück."
    "|Geld zurück, bitte.|Schreiben Sie mir den Betrag wieder gut.|Ich bitte um Rückzahlung.",
    "replacement": "Ich hätte gern Ersatz.|Bitte schicken Sie mir einen neuen Artikel."
    "|Können Sie mir noch einmal einen liefern?|Ich möchte umtauschen."
    "|Bitte tauschen Sie das aus.|Keine Erstattung, ich will Ersatz.|Bitte senden Sie mir ein neues Exemplar."
    "|Umtausch bitte."
    "|Schicken Sie mir bitte ein anderes Stück.|Könnte ich ein neues bekommen?",
    "repair": "Können Sie das reparieren?|Bitte reparieren Sie {ihn}.|Ich bitte um eine Reparatur."
    "|Lässt sich das bei Ihnen reparieren?"
    "|Könnte Ihre Werkstatt {ihn} instand setzen?|Ich will kein Geld, sondern eine Reparatur."
    "|Bitte schicken Sie einen Techniker."
    "|Reparatur erbeten.|Ich möchte {ihn} reparieren lassen.|Machen Sie {ihn} bitte wieder heil.",
    "information": "Wie lange gilt die Garantie?|Woran kann das liegen?|Können Sie mir sagen, was ich tun soll?"
    "|Ist das ein Garantiefall?"
    "|Bitte teilen Sie mir mit, wie es weitergeht.|Wie lange muss ich noch warten?"
    "|Ich wüsste gern, woran das liegt.|Ist das normal?"
    "|Was sagt die Garantie dazu?|Bitte erklären Sie mir, wie das sein kann.",
    "filler": "Ich bin seit Jahren Kunde bei Ihnen.|Auch {other} aus dem Nachbarhaus war dabei."
    "|Bei Ihnen konnte mir {other} nicht helfen."
    "|Telefonisch bin ich unter {phone} erreichbar.|Jemand namens {other} hat das Paket angenommen."
    "|Die Rechnungsnummer ist {invoice}.|Bezahlt habe ich {price} Euro."
    "|Sonst bin ich immer zufrieden gewesen.|Die Sendungsnummer war {phone}."
    "|Ich habe es {other} gezeigt, auch ohne Erfolg."
    "|Bitte melden Sie sich bald.|Das ist wirklich ärgerlich.|Die Anleitung habe ich zweimal gelesen."
    "|Gesprochen habe ich mit {other} von der Hotline."
    "|Sie erreichen mich abends.",
}

ZH = {
    "first": "伟|芳|秀英|志强|敏|静怡|建国|晓东|雨桐|梓涵|子轩|欣怡|浩然|佳慧|嘉豪|文博|思远|丽华|国庆|若曦|海燕"
    "|俊杰|美玲|一鸣|雅婷",
    "last": "王|李|张|刘|欧阳|陈|杨|赵|黄|司马|周|吴|徐|孙|马|朱|胡|郭|何|林|高|罗|郑|梁|谢",
    "product": "电热水壶|蓝牙耳机|扫地机器人|电饭煲|折叠自行车|台灯|登山包|羽绒服|空气炸锅|吸尘器|办公椅|儿童滑板车"
    "|键盘|加湿器|跑步鞋|投影仪|书架|行李箱"
    "|电动牙刷|破壁机|电风扇|瑜伽垫|智能手表|充电宝|咖啡机|帐篷|床垫|显示器|婴儿车|平底锅",
    "brand": "云朵|星河|佳禾|北辰|晨露|悦木|南山|凌风|小麦|青禾|松果|海石|飞燕|竹影|明川|蓝鲸|朗月|恒溪|禾木|远帆",
    "model": "|||X2|Pro|S30|Mini|400|Plus|K7|Air|T9",
    "lost": "一直没有送到|到现在还没发货|在路上丢了|已经晚了{n}天|被送到了别人家|寄出{n}天了还没到"
    "|显示签收但我没拿到|在中转站卡了{n}天",
    "use": "用了{n}天就坏了|收到的时候是碎的|颜色发错了|有一道很深的划痕|少了两个零件|味道特别刺鼻|突然不能用了"
    "|有一股怪味|尺寸不对|没法正常使用"
    "|裂了一条缝|跟图片完全不一样|是别人用过的|到货时已经变形|用着用着就断了|底部有个洞|掉色很严重|总是卡住"
    "|边角磕坏了|包装破了里面也坏了"
    "|松得厉害|外壳凹进去一块|第{n}天就散架了|用了几次就裂开了|质量有问题|缺了说明书里的配件|一碰就晃|表面起泡了"
    "|少了一个配件|发霉了",
    "greet": "您好，|你好！|客服你好，|亲，|尊敬的客服：|在吗？|早上好，|你们好，|客服同志您好，|喂，",
    "intro": "我叫{name}。|我是{name}。|我的名字是{name}。|本人{name}。|这里是{name}。|我姓名{name}。"
    "|我是你们的老顾客{name}。|{name}在此留言。|我是买家{name}。|收货人写的是我，{name}。",
    "sign": "{name}|——{name}|谢谢！{name}|此致¶敬礼¶{name}|{name}敬上|祝好，{name}|署名：{name}|顾客{name}"
    "|买家：{name}|{name}留",
    "fault": "我买的{P}{X}。|我在你们店买了一{mw}{P}，{X}。|上周收到的{P}{X}。|你们的{P}{X}！|关于我的{P}：{X}。"
    "|{P}{X}，太让人失望了。|前几天下单的{P}{X}。"
    "|商品：{P}。问题：{X}。|给我妈买的{P}{X}。|这{mw}{P}{X}，怎么回事啊。|我家的{P}{X}。|刚买的{P}{X}，我很生气。"
    "|从你们网站订的{P}{X}。|新买的{P}{X}。"
    "|不好意思，我的{P}{X}。|{P}：{X}。|双十一买的{P}{X}。|送朋友的{P}{X}，好尴尬。|说一下{P}的情况，{X}。"
    "|没想到{P}{X}。",
    "id": "订单号是{id}。|订单号：{id}。|我的订单编号为{id}。|单号{id}。|订单{id}，请查一下。|订单编号：{id}。"
    "|这是我的订单号{id}。|订单：{id}。|查一下订单{id}。|对应的订单号{id}。",
    "refund": "我要退款。|请把钱退给我。|麻烦退款。|能不能退钱？|我想退货退款。|不换了，直接退款吧。|请全额退款。"
    "|把钱还给我！|申请退款。|希望能把货款退回来。",
    "replacement": "请给我换一个新的。|我想换货。|能再给我发一个吗？|麻烦换一个。|请重新寄一个给我。"
    "|不用退款，换个新的就行。|希望能换货。|给我换个好的！|申请换货。|可以补发一个吗？",
    "repair": "能帮我修一下吗？|我想申请维修。|请安排维修。|可以寄回去修吗？|麻烦派师傅上门修理。"
    "|不用换，修好就行。|希望能修好。|怎么送修都行，帮我修好。|我要求保修期内免费维修。|修一修还能用吧，请帮我修。",
    "information": "请问保修期多久？|这是怎么回事？|请问这正常吗？|想问一下还要等多久？|请告诉我该怎么操作。"
    "|能解释一下原因吗？|请问这种情况在保修范围内吗？|想了解一下售后政策。|是不是我用得不对？"
    "|请问一般几天能处理好？",
    "filler": "我是你们多年的老客户。|我姐姐{other}也买过。|你们的客服{other}没帮上忙。|我的电话是{phone}。"
    "|快递是邻居{other}代收的。|发票号是{invoice}。|一共花了{price}元。|之前一直都挺满意的。"
    "|快递单号{phone}。|说明书我看了两遍。|请尽快回复。|真的很郁闷。|同事{other}推荐我来买的。"
    "|跟一位叫{other}的客服聊过。|晚上打电话比较方便。",
}
FORMS = {
    "m": "mein meinen meinem der er einen ihn",
    "f": "meine meine meiner die sie eine sie",
    "n": "mein mein meinem das es ein es",
}
NUMBERS = {"de": "zwei|drei|vier|fünf|sechs|acht|zehn|zwölf", "zh": "两|三|四|五|六|八|十|十二"}


class Small:
    """Writes messages of one language and part."""

    def __init__(self, language: str, part: str):
        self.rng = random.Random(f"0 {language} {part}")
        self.language = language
        self.fill = Fill(part, self.rng)
        lists = {"de": DE, "zh": ZH}[language]
        self.lists = {key: self.of_part(block.split("|"), part) for key, block in lists.items()}
        self.lists["model"] = lists["model"].split("|")

    @staticmethod
    def of_part(entries: list[str], part: str) -> list[str]:
        return [entry for index, entry in enumerate(entries) if (index % 5 == 4) == (part == "test")]

    def pick(self, key: str) -> str:
        return self.rng.choice(self.lists[key])

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def name(self) -> str:
        if self.language == "zh":
            return self.pick("last") + self.pick("first")
        return f"{self.pick('first')} {self.pick('last')}" if self.chance(0.75) else self.pick("first")

    def product(self) -> tuple[str, str]:
        """The product, and its gender in German."""
        head = self.pick("product")
        gender, head = head.split(" ") if self.language == "de" else ("", head)
        brand = self.pick("brand") if self.chance(0.5) else ""
        model = self.pick("model") if brand else ""
        if self.language == "zh":
            return brand + model + head, gender
        return " ".join(filter(None, [brand, model, head])), gender

    def row(self) -> tuple[str, dict[str, str | None]]:
        """A message and its record."""
        name, (product, gender) = self.name(), self.product()
        kind = "lost" if self.chance(0.15) else "use"
        possible = [*WANTS, None] if kind == "use" else ["refund", "replacement", "information", None]
        wants = self.rng.choice(possible)
        number = self.rng.choice(NUMBERS[self.language].split("|"))
        slots = {
            "name": name,
            "P": product,
            "X": self.pick(kind).format(n=number),
            "id": self.fill.order_id(),
            "n": number,
            "phone": self.fill.shape("0999 9999999"),
            "invoice": self.fill.shape("R-9999"),
            "price": str(self.rng.randint(9, 899)),
            "other": self.other(name),
            "mw": "款",
        }
        if gender:
            keys = ("mein", "mein_a", "mein_d", "der", "er", "einen", "ihn")
            slots |= dict(zip(keys, FORMS[gender].split(), strict=True))
            slots |= {key.capitalize(): slots[key].capitalize() for key in ("mein", "der", "er")}
        body = [self.pick("fault")]
        has_id, has_name, signed = self.chance(0.6), self.chance(0.75), self.chance(0.5)
        if has_id:
            body.insert(self.rng.randint(0, 1), self.pick("id"))
        fillers = [self.pick("filler") for _ in range(self.rng.choice([0, 0, 1, 1, 2]))]
        for filler in dict.fromkeys(fillers):
            body.insert(self.rng.randint(0, len(body)), filler)
        if wants:
            body.append(self.pick(wants))
        if has_name and not signed:
            body.insert(0, self.pick("intro"))
        greeting = self.pick("greet") if self.chance(0.6) else ""
        text = self.join(body, greeting, self.pick("sign") if has_name and signed else "")
        record = {
            "name": name if has_name else None,
            "product": product,
            "problem": slots["X"],
            "order_id": slots["id"] if has_id else None,
            "wants": wants,
        }
        return text.format(**slots).replace("¶", "\n"), record

    def other(self, name: str) -> str:
        other = self.pick("first") if self.language == "de" else self.name()
        return other if other not in name and name not in other else self.other(name)

    def join(self, body: list[str], greeting: str, signature: str) -> str:
        """The message; German sentences after a comma begin in lower case."""
        gap = "" if self.language == "zh" else " "
        if self.language == "de":
            opened = greeting.endswith(",")
            body = [part if opened and index == 0 else part[:1].upper() + part[1:] for index, part in enumerate(body)]
        text = (greeting + gap if greeting else "") + gap.join(body)
        if signature:
            text += self.rng.choice(["\n", "\n", gap]) + signature
        return text


def small_set(part: str, size: int, known: str = "") -> list[tuple[str, dict[str, str | None]]]:
    """`size` messages, half Chinese, half German; none shares a name, product or fault with the lower-case `known`."""
    writers = [Small("zh", part), Small("de", part)]
    rows: dict[str, dict[str, str | None]] = {}
    while len(rows) < size:
        message, record = writers[len(rows) % 2].row()
        fields = [value for key, value in record.items() if key != "wants" and value]
        fields += (record["name"] or "").split()
        if message not in rows and not any(value.lower() in known for value in fields):
            rows[message] = record
    return list(rows.items())
