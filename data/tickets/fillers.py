"""Sentences around the matter: small talk, second people, second numbers, second products, old wishes.

The notation is explained in frames_fault.py. Slots: {friend} {staff} a second person, {P2} another product,
{price} {phone} {date} {invoice} {tracking} {serial} {ticket} numbers that are not the order id, {when} {kin}.
Condition B: only after the fault.
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
r| It has been raining here since Thursday and the garden is one big puddle.
rc| I am writing this on the train, and the connection keeps dropping.
c| I know that you are busy.
rc| My [mother|father|grandmother] always said one should write letters while still calm.
f| Please excuse my English, it is not my first language.
r| I do not like to make a fuss, as anybody who knows me will tell you.
cB| It's not the end of the world, but still.
rB| We were about to have dinner when I noticed it, so the soup went cold.
c| Love your shop, by the way.
r| In the old days there was a small shop on our street that sold everything, but it closed.
aB| I am not going to put up with it.
fr| I checked the questions on your help page first.
cr| The children were so excited when the doorbell rang.
r| There was a long queue at the post office, and the lady there was very kind.
lc| ive never had this b4
f| I am a member of your customer club.
tB| Very disappointing.
rc| I hope this is the right address for such messages.
ca| I filled in your form twice and it deleted everything.
r| I should add that I work nights, so mornings are best for me.
aB| Your adverts promise something quite different!
f| I have kept all the documents.
lB| not gonna lie, im disappointed
rB| A thing like that makes you think about how stuff is made nowadays.
cr| I was on holiday until yesterday, otherwise I would have written sooner.
tZ| Hardly used.
fZ| It has been handled with care at all times.
rc| My laptop battery is almost empty, so I will be brief, or try to be.
crB| Normally your things are really good.
r| My knee is not what it used to be, so I cannot simply come to the shop.
ac| I waited forty minutes in your queue, with that awful music.
lt| asap pls
c| Fingers crossed you can help.
r| The dog barked at the courier, for which I apologise.
fr| I have written to you once before, but I received no answer.
rcB| We laughed about it at first, I admit.
cr| Your newsletter said that you care about customers, and I believe that.
r| My handwriting is worse than my typing, so be glad that this is an e-mail.
tB| Annoying.
la| worst shop ever
a| I will tell everybody on the internet!
f| I would like to settle the matter amicably.
rc| Our street has a new name since May, which confuses every driver.
cZ| I only took it out of the box on Sunday.
fB| It is the first time that I have had cause for complaint.
rB| I lay awake over it, silly as that may sound.
cr| It is hot here, thirty-five degrees, so everyone is a bit slow.
lB| anyone there??
t| Urgent.
c| I've attached a screenshot.
"""

PEOPLE = """
fcr| I spoke to {staff}, who could not help me.
cr| {friend_c} said that I should write to you.
ca| {staff_c} was no help at all.
fr| On the phone, {staff} told me to send an e-mail.
lc| talked to {staff} already
cr| {friend_c} sends greetings, by the way.
fr| My last message was answered by {staff}.
a| {staff_c} hung up on me!
t| Spoke to {staff}.
rc| {friend_c} has the same one and is very happy.
fcr| Please don't call {friend}, write to me instead.
r| I was going to let {friend} write this, but I might as well do it myself.
c| {friend_c} signed for the parcel.
fr| The parcel was accepted by {friend}.
car| {friend_c} laughed when I told the story.
l| {friend} says hi
fr| I have already explained everything to {staff}.
cr| {friend_c} and I were both at home that day.
tl| cc: {friend}
ra| According to {staff}, this happens all the time.
fr| {friend_c} can confirm what I say.
c| It was {friend} who showed me your website.
fca| I was promised a call back by {staff}.
crZ| {friend_c} took a look and had no idea either.
rcZ| We unpacked everything together with {friend}.
fr| {staff_c} promised to look into the matter.
la| {staff} never called back
t| Contact so far: {staff}.
cr| {friend_c} paid for half of it.
a| Tell {staff} to call me!
ra| First {staff} said one thing, then I heard the opposite.
fc| I believe I was in touch with {staff} before.
l| {friend} told me ur shop is good
r| {friend_c} and the children send their love, whoever reads this.
t| Delivered to {friend}.
c| {friend_c} thinks I'm too polite.
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
t| Invoice: {invoice}
fr| Your letter of {date} bears the number {ticket}.
l| paid {price} btw
cr| My flat number is {small}, just so you know.
a| {price}, for this!
fr| The bank transfer of {date} was for {price}.
cl| my number is {phone}
a| Ticket {ticket} has been open since {date}!
t| Phone: {phone}
rc| I turned {small_age} on {date}, and it was a present to myself.
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
cB| Everything else in the box, like the {P2}, was good.
lB| the other thing i got, {aP2}, is great
frB| The {P2} from the same order gives no cause for complaint.
aB| The {P2} from your competitor never failed me!
rcB| My {kin} still uses the {P2} that you sold us years ago.
tB| {P2c}: no problem.
cB| I'm not talking about the {P2}, that one is fine.
frB| Incidentally, the {P2} arrived in good condition.
"""

OLD_WISHES = """
fr| The refund for my earlier order arrived, thank you for that.
cr| Last year you repaired my {P2} very quickly, thanks again.
cl| u replaced my {P2} once, that was quick
fr| When my {P2} had a defect, you sent a replacement at once.
cr| Two years ago I got my money back for {aP2} without any trouble.
t| Earlier refund for {P2} received.
fr| The information you gave me about the {P2} was very useful.
crB| My {kin} says you once repaired a {P2} for nothing.
ra| A refund for the {P2} took you six weeks last time.
cr| The {P2} you replaced in spring is going strong.
fr| In an earlier case, concerning {aP2}, you refunded me without delay.
c| You swapped my {P2} last summer, which was great.
lc| got a refund for {aP2} once, no problem
ra| With the {P2} last year I had to ask three times for a repair.
fr| The replacement for my {P2} has arrived, and all is well with that.
t| Repair of {P2} done, thanks.
"""

KIN = "sister|brother|mother|father|son|daughter|niece|nephew|grandson|aunt|uncle|cousin|neighbour|flatmate|colleague"
FRIENDS = (
    "my neighbour {n}|my colleague {n}|my flatmate {n}|our friend {n}|my cousin {n}|my partner {n}|my boss {n}"
    "|my friend {n}"
    "|my sister {f}|my wife {f}|my daughter {f}|my aunt {f}|my mother {f}|my niece {f}|my brother {m}"
    "|my husband {m}|my son {m}"
    "|my uncle {m}|my nephew {m}|my father-in-law {m}"
)
STAFF = (
    "your colleague {n}|your courier {n}|your agent {n}|a certain {n}|someone named {n}|{n} from your hotline"
    "|{n} from the shop"
    "|{n} in customer service|somebody called {n}|a man called {m}|a lady called {f}|your Mr {s}|your Ms {s}"
    "|one {n}|the driver {n}"
    "|an agent ({n})|{n} on the chat"
)
WHENS = (
    "last week|last month|two weeks ago|in March|in early June|three months ago|yesterday|on Monday|last Saturday"
    "|on 3 May"
    "|at the end of April|a month ago|ten days ago|in the autumn sale|before Christmas|on 12 October"
    "|just after Easter"
    "|this summer|in January|on Black Friday|six weeks ago|the other day|on the 21st|last Tuesday|at the weekend"
)
PLACES = (
    "in your online shop|at your branch in Leeds|on your website|in your Dublin store|through your app|at the sale"
    "|from your catalogue|in your outlet|from you|at your shop in the station"
)
NUMBER_WORDS = "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen"
