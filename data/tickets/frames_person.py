"""Sentence frames for greeting, name, closing and order id; the notation is explained in frames_fault.py.

Slots: {name} the writer, {agent} somebody else who is greeted, {id} the order id, {P} the product.
"""

GREETINGS = """
fr| Dear [Sir or Madam|customer service|support team],
c| Hi,
cr| Hello,
fc| Good [morning|evening],
lc| hey
cr| Hi {agent},
f| Dear {agent},
ca| Hi there,
f| To whom it may concern,
lc| hey guys
f| Dear Madam or Sir,
c| Hello everyone,
cl| hi all
r| Hello dear [team|people],
fr| Good day,
f| Dear [complaints department|returns team],
cl| Heya,
a| Attention [customer service|support]:
r| Greetings from [Leeds|Porto|Gdansk|a rainy Oslo],
cr| Hello {agent},
l| hi {agent}
fc| Dear [team|shop team],
ac| Hello?
f| For the attention of {agent}:
cr| Happy [Monday|Friday|New Year] to you all,
f| Dear {agent} and colleagues,
f| Dear all,
f| Ladies and gentlemen,
f| Dear returns department,
fr| Esteemed [team|colleagues],
c| Hiya,
c| Hey {agent},
c| Good afternoon,
c| Hi [support|shop people|you lot],
c| Hello hello,
c| Morning!
a| Listen,
a| To [support|the boss of this shop]:
a| {agent}!
t| Hi.
t| Attn. [support|returns]
r| Dear {agent}, dear team,
r| Good evening to you and yours,
r| A very good day to you,
l| yo
l| hello??
l| good evening
"""

INTRODUCTIONS = """
fcr| My name is {name}.
crl| {name} here.
fcr| This is {name} [writing|speaking].
cl| it's {name}
fr| I am {name}, a customer of yours.
crl| i'm {name}
t| {name}.
fr| Allow me to introduce myself: {name}.
c| it's me, {name}.
crf| I'm {name} from [Bristol|Lagos|Turin|Ghent|Aarhus|Graz].
t| Name: {name}
fr| I, {name}, am a [regular|long-standing] customer.
cl| {name} again
c| you may know me, {name}, from the last order.
crf| My name's {name}.
ar| {name} writing, [not for the first time|once more].
tf| Customer: {name}.
a| I am {name} and I am [angry|furious|not amused].
l| {name} here from [leeds|cork|malmo]
fr| The name is {name}.
f| You are dealing with {name}, one of your customers.
cr| I go by {name}.
tf| From: {name}
c| Hope you're well, {name} here.
rcf| People call me {name}, by the way.
t| Customer name {name}.
fr| My full name, as on the account, is {name}.
cl| {name} speaking :)
ra| Remember me? {name}.
fcr| I should say who I am: {name}.
cl| hi its {name}
t| Writer: {name}
a| My name is {name}, in case you care!
fr| My name is {name}, and I live in [Leeds|Trieste|Ghent].
c| I'm {name}, nice to meet you.
r| My friends know me as {name}.
t| {name}, [private customer|Dublin].
a| This is {name}, and I am not happy!
l| me = {name}
f| The undersigned, {name}, is a customer of your shop.
f| Let me state my name first: {name}.
f| I write to you as {name}, a customer since [2012|2018].
f| May I introduce myself? {name}.
fr| As a customer of yours I, {name}, turn to you today.
c| {name} from [Malmo|Derby|Porto] here.
c| You're talking to {name}.
c| I'm {name} by the way.
cr| I am {name} and I need your help.
c| It's {name} once more.
a| {name}, remember that name!
a| {name} here, and I want answers!
t| Client: {name}
t| Buyer: {name}
t| Contact: {name}
r| So, first things first, I'm {name}.
r| My parents named me {name}, if you must know.
r| {name} is the name, in case you look for me in your files.
l| name's {name}
l| this is {name} btw
rc| Let me start with my name, which is {name}.
tf| Ordered by {name}.
tf| Account holder: {name}.
"""

SIGNATURES = """
f| [Kind|Best|Warm] regards,¶{name}
fr| Yours [sincerely|faithfully],¶{name}
cl| - {name}
c| Thanks,¶{name}
fr| With best wishes, {name}
tl| {name}
cr| Cheers, {name}
rc| Many thanks in advance, {name}
a| {name}, [disappointed|angry|furious]
c| Best, {name}
f| Respectfully,¶{name}
cl| thx {name}
t| /{name}
f| Signed, {name}
cr| Take care,¶{name}
cr| Thank you!¶{name}
fr| Regards, {name}
lc| ty, {name}
a| Waiting,¶{name}
c| All the best - {name}
f| I remain yours truly,¶{name}
tl| ({name})
cr| Bye for now, {name}
ca| Not your happiest customer, {name}
fr| Thank you for your time.¶{name}
c| Greetings, {name}
rc| Love from [Wales|Lyon|the north], {name}
t| Sent by {name}
fc| Sincerely, {name}
ar| Your (still) loyal customer {name}
f| Kind regards,¶{name}¶{phone}
c| Thanks a lot,¶{name}, [Leeds|Cardiff|Bergen]
f| Sincerely yours,¶{name}¶[Bergen|Utrecht|Nantes]
cr| Have a good [day|week], {name}
t| Name: {name}
l| cheers {name}
a| {name} (very [angry|unhappy])
f| {name}, customer since [2009|2015|2021]
cr| Looking forward to your answer, {name}
t| Regards {name}
l| xx {name}
a| No regards,¶{name}
f| With kind regards¶{name}
f| Faithfully yours, {name}
f| {name}¶[Oslo|Ghent|Cork], {date}
f| Cordially,¶{name}
fr| I thank you in advance.¶{name}
c| Have a great [day|weekend]!¶{name}
c| Hugs, {name}
c| See you, {name}
c| {name} :)
c| Thanks so much, {name}
cr| Ta, {name}
a| In anger,¶{name}
a| Goodbye!¶{name}
a| {name}, [still waiting|never again]
t| Signed {name}
t| {name}, {phone}
r| I remain, a little sad, {name}
r| With all good wishes from our house to yours,¶{name}
r| So long, {name}
l| greets, {name}
l| -{name}
l| cya {name}
l| {name} out
"""

IDS = """
fcr| My order number is {id}.
fct| Order [number|no.|nr] {id}.
cl| order {id}
fr| The order [number|reference] is {id}.
t| Order: {id}
cr| It was order {id}.
tf| Order ID: {id}
cra| I ordered it under the number {id}.
l| order no {id}
f| Please refer to order {id}.
crf| You will find it under order {id}.
fcl| my order id is {id}
t| Ref. {id}
ca| Look up order {id}!
f| This concerns order {id}.
fr| The confirmation [mail|e-mail] says order {id}.
c| Order {id}, if that helps.
lt| #order: {id}
rc| I looked for the order number, and here it is: {id}.
fr| My purchase has the order number {id}.
cra| The number of my order? {id}.
f| Your reference: {id}.
t| Order ref {id}
cl| heres the order nr: {id}
f| For your records, the order number is {id}.
c| (order {id})
fra| All of this is about order {id}.
tf| Purchase order {id}.
rc| According to my receipt the order has the number {id}.
clr| the number on the order is {id}
c| My order, {id}, is not that old.
fr| It was ordered as number {id}.
cl| thats order {id}
a| Order {id}, as I keep telling you!
t| Order code: {id}
tf| Our order: {id}
c| I've got an order number here: {id}.
fr| The order in question is {id}.
l| order id {id} if u need it
cr| The receipt says order no. {id}.
a| Order number {id}. Write it down!
f| The relevant order is {id}.
f| In your system it is filed as order {id}.
f| I quote the order number: {id}.
f| The order was confirmed under number {id}.
fr| Order number {id} is the one I mean.
c| Here's my order number: {id}.
c| It's order {id} if you want to check.
c| The order no. is {id}, I think that's what you need.
c| My order? {id}.
cr| In your mail it says order number {id}.
a| I have given you the order number ten times: {id}!
a| Check order {id}!
a| Order {id} was a mistake from the start!
t| Ord. {id}
t| Order is {id}
t| O/N: {id}
t| Order {id}, {when}.
t| Number of order: {id}
r| You will want a number, so here is that of my order: {id}.
r| Let me look for the order number. Yes: {id}.
r| If I read my own writing correctly, the order number is {id}.
l| {id} is my order number
l| order = {id}
l| number of my order is {id}
l| order was {id}
"""

# Put directly behind the product, inside another sentence.
ID_TAGS = """
fcarl|  (order {id})
ft|  (order no. {id})
fcr| , order number {id},
ctl|  (order id {id})
fr|  from order {id}
tca|  ({id})
fr|  (order reference {id})
f|  (my order {id})
f|  with order number {id}
t|  / order {id} /
c|  (id {id})
r|  (you have it as order {id})
l|  ({id})
"""

SUBJECTS = """
f| Subject: [complaint|problem] - order {id}
tf| Re: order {id}
fc| Subject: {P}, order {id}
t| Order {id} / {P}
r| Subject: trouble with my order {id}
f| Subject: order {id}, {P}
t| {id}: complaint
f| Concerning: order no. {id}
l| re order {id}
c| Order number {id}
"""
