"""Sentences around the matter: second people, second numbers, second products, old wishes.

The notation is explained in frames_fault.py. Slots: {friend} {staff} a second person, {P2} another product,
{price} {phone} {date} {invoice} {tracking} {serial} {ticket} numbers that are not the order id, {when} {kin}.
Condition B: only after the fault.
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
f| My correspondence so far was with {staff}.
f| {staff_c} assured me that I would receive an answer.
f| I was advised by {friend} to write to you.
c| {friend_c} was with me when I opened the parcel.
c| Say hi to {staff} from me!
c| I chatted with {staff} and that was nice.
a| {staff_c} laughed at me!
a| I never want to speak to {staff} again!
t| Witness: {friend}.
t| Last contact: {staff}.
r| {friend_c} came for coffee, and we talked of nothing else.
r| I was passed on to {staff}, who passed me on again.
l| asked {staff}, no clue
l| {friend} is here too
c| {friend_c} says you should know.
r| It so happens that {friend} once worked for a shop like yours.
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
f| I refer to invoice {invoice} of {date}.
f| Your delivery note bears the number {invoice}.
c| I can be reached on {phone} after six.
c| My loyalty card is {invoice}, in case that helps.
c| I think I paid around {price}.
a| I have rung {phone} five times!
a| Since {date} I have been waiting for an answer!
t| Cust. no. {invoice}
t| Delivered {date}.
t| Parcel no. {tracking}
r| The parcel label says {tracking}, in very small letters.
r| I was born in the same street where I still live, number {small}.
l| tracking is {tracking}
l| ticket {ticket}
fZ| The device carries the serial number {serial}.
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
fB| The {P2} ordered at the same time arrived safely.
fB| I am entirely satisfied with the {P2} that came with {it_o}.
cB| I've had {aP2} of yours for years and it's brilliant.
cB| No problem with the {P2}, that one's perfect.
aB| Even my old {P2} is better made!
tB| The {P2}: all good.
rB| At the same time I ordered {aP2}, which my {kin} has taken home and likes very much.
lB| got {aP2} too, thats ok
lB| {P2} is fine tho
rB| The {P2}, on the other hand, we would not want to be without.
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
f| The repair of my {P2} last year was done well.
c| Remember when you sent me a new {P2}? That was great.
l| u fixed my {P2} last yr, that was nice
t| Previous case ({P2}, refund) closed.
r| The last time I asked you something, about {aP2}, the answer came within the hour.
a| For the {P2} I had to beg for my refund!
f| In the case of my {P2} you were generous and replaced it.
c| I've already had the money back for the {P2}, so that's sorted.
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
