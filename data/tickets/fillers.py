"""Sentences around the matter: small talk, second people, second numbers, second products, old wishes.

The notation is explained in frames_fault.py. Slots: {other} a second person with a role, {other_name} a
second person's name, {P2} another product, {price} {phone} {date} {invoice} {tracking} {serial} {ticket}
numbers that are not the order id, {when} {kin}. Condition B: only after the fault. Lines with the
same first register: each fourth belongs to the test set.
"""

SMALL_TALK = """
fr| I have been a [loyal|satisfied|regular] customer for many years.
c| Hope you had a nice weekend.
ca| I have never had anything like this before.
rcZ| I followed the instructions [step by step|to the letter].
fr| I have always been pleased with your service so far.
rc| The weather here has been dreadful, so at least I had time to write.
lc| sorry for the typos, im on the bus
a| I am really [angry|annoyed|fed up].
cr| I'm usually not the one to complain.
fZ| I attach [three|two|several] photographs.
tZ| Photos attached.
lcZ| i can send pics
r| We moved house in the spring and everything has been a bit upside down since then.
faB| This is not the quality that I expect from you.
crB| It's such a shame, really.
aB| What kind of company are you?
cB| Bit of a letdown.
rc| I tried to call you but the line was busy for ages.
fr| I have already tried to reach you by telephone, without success.
tl| no reply so far
ac| Nobody picks up the phone!
rc| My cat is sitting on the keyboard, so please excuse any mistakes.
f| I enclose a copy of the receipt.
c| The delivery guy was really nice, by the way.
arB| I told all my friends about it.
crf| The website was easy to use and the payment went through at once.
r| I am seventy-four and not very good with computers, so my grandson is helping me with this mail.
lcB| kinda sad about it
fB| I trust that you understand my disappointment.
rcB| We have guests on Saturday, which makes it all the more awkward.
rZ| I kept the box in the attic, just in case.
cZ| Still have the box and all that.
tZ| Original box kept.
fZ| The original packaging is still available.
cr| I read a lot of reviews before I decided.
rcB| Maybe I was just unlucky.
aB| I could have bought something better for half of that.
f| I have consulted your terms and conditions.
lc| been waiting on the chat for an hour
rcZ| I unpacked everything on the kitchen table, very carefully.
cr| Your shop was recommended to me by a friend.
fr| I live on the fourth floor, so please ring twice.
cf| You can reach me in the evenings.
a| I have wasted a whole day on this.
rc| I made myself a cup of tea first so as not to write anything rude.
r| To be fair, the previous one I had from you lasted eleven years.
fcB| I'm sure that it is just an oversight.
la| omg
acB| Honestly, what were you thinking?
rcZ| I have looked through the manual twice and found nothing.
"""

PEOPLE = """
fcr| I spoke to {other}, who could not help me.
cr| {other_c} said that I should write to you.
ca| {other_c} was no help at all.
fr| On the phone, {other} told me to send an e-mail.
lc| talked to {other} already
cr| {other_c} sends greetings, by the way.
fr| My last message was answered by {other}.
a| {other_c} hung up on me!
t| Spoke to {other}.
rc| {other_c} has the same one and is very happy with it.
fcr| Please don't call {other}, write to me instead.
r| I was going to let {other} write this, but I might as well do it myself.
c| {other_c} signed for the parcel.
fr| The parcel was accepted by {other}.
car| {other_c} laughed when I told the story.
l| {other} says hi
fr| I have already explained everything to {other}.
cr| {other_c} and I were both at home that day.
tl| cc: {other}
ra| According to {other}, this happens all the time.
fr| {other_c} can confirm what I say.
c| It was {other} who showed me your website.
fca| I was promised a call back by {other}.
crZ| {other_c} took a look and shook his head.
rcZ| We unpacked everything together with {other}.
"""

NUMBERS = """
fcr| You can reach me [on|at] {phone}.
tl| tel {phone}
fr| The invoice number is {invoice}.
ft| Invoice {invoice}, dated {date}.
cr| I paid {price} on {date}.
fr| The tracking number given was {tracking}.
t| Tracking {tracking}.
ftZ| Serial number {serial}.
crZ| On the underside it says {serial}, whatever that means.
fr| The payment of {price} was made on {date}.
lc| call me on {phone}
cr| It cost me {price}, which is a lot for me.
ca| {price} is a lot of money!
fr| My customer number is {invoice}.
tf| Date of purchase: {date}.
cr| The courier's tracking code was {tracking}.
fr| Your ticket system gave me the number {ticket}.
ca| This is my third message, ticket {ticket}.
t| Paid: {price}.
fr| Please call {phone} between 9 and 5.
fc| The delivery date on the slip is {date}.
crf| The amount of {price} has left my account.
tZ| S/N {serial}
rcf| I live at number {small}, the house with the green door.
cfr| My postcode is {postcode}.
"""

SECOND_PRODUCTS = """
fcrB| The {P2} that I ordered with {it_o} is fine.
crB| I also bought {aP2}, and that one is great.
frB| I have no complaint about the {P2} in the same parcel.
lcB| the {P2} is ok btw
tB| {P2c} from same order: fine.
caB| At least the {P2} from you does what it should.
frB| By contrast, the {P2} I bought last year has never given me any trouble.
crB| My {kin} bought {aP2} from you and loves it.
rcB| The {P2} came in the same box and we use it daily.
fB| The {P2} delivered with it was in perfect order.
crB| The {P2} works like a dream, though.
rB| Next month I wanted to order {aP2} too, but now I am not so sure.
lB| thx for the {P2}, love it
frB| Our {P2}, also from your shop, has served us well.
tB| Other item ({P2}) ok.
"""

OLD_WISHES = """
fr| The refund for my earlier order arrived, thank you for that.
cr| Last year you repaired my {P2} very quickly, thanks again.
cl| u replaced my {P2} once, that was quick
fr| When my {P2} had a defect, you sent a replacement at once.
cr| Two years ago I got my money back for {aP2} without any trouble.
t| Earlier refund for {P2} received.
fr| The information you gave me about the {P2} was very useful.
crB| My {kin} says you repaired his {P2} for nothing.
ra| A refund for the {P2} took you six weeks last time.
cr| The {P2} you replaced in spring is going strong.
"""

KIN = "sister|brother|mother|father|son|daughter|niece|nephew|grandson|aunt|uncle|cousin|neighbour|flatmate|colleague"
ROLES = (
    "my sister {n}|my brother {n}|my husband {n}|my wife {n}|my neighbour {n}|my colleague {n}|my flatmate {n}"
    "|your colleague {n}|your courier {n}|your agent {n}|a certain {n}|a man called {n}|a lady called {n}|my daughter {n}"
    "|my boss {n}|someone named {n}|{n} from your hotline|{n} from the shop|{n} in customer service|our friend {n}"
)
WHENS = (
    "last week|last month|two weeks ago|in March|in early June|three months ago|yesterday|on Monday|last Saturday|on 3 May"
    "|at the end of April|a month ago|ten days ago|in the autumn sale|before Christmas|on 12 October|just after Easter"
    "|this summer|in January|on Black Friday|six weeks ago|the other day|on the 21st|last Tuesday|at the weekend"
)
PLACES = (
    "in your online shop|at your branch in Leeds|on your website|in your Dublin store|through your app|at the sale"
    "|from your catalogue|in your outlet|from you|at your shop in the station"
)
NUMBER_WORDS = "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen"
