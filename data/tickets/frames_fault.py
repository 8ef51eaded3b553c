"""Sentence frames that name the product and the fault.

A line is `registers conditions| text`. Registers: f formal, c chatty, a angry, t terse, r rambling,
l lower-case chat. Conditions: U only for faults in use, Z only when the goods are in the writer's hands,
H not for digital goods, S only for one thing, not for a pair. `[a|b]` is a free choice, ¶ a line break.
Slots: {P} the product, {aP} with "a" or "an", {X} the fault as a predicate, {C} as a clause, {N} as a noun
phrase ({Xc} and so on: capitalised); {it} {It} {them} {this} agree with the product, {it_o} is the object.
Of the lines of a block with the same first register each fourth belongs to the test set.
"""

PRODUCT_AND_FAULT = """
fcarl| My {P} {X}.
fr| I am writing [because|since] the {P} I [ordered|bought] {when} {X}.
fcr| I [bought|ordered|purchased] {aP} from you {when}, and {it} {X}.
cl| so my {P} {X}
ar| The {P} you [sold|sent] me {X}!
t| {Pc} {X}.
fr| The {P} that I [purchased|ordered] {when} {X}.
crZ| I [got|bought] my {P} {when} and now {it} {X}.
a| Your {P} {X}, and I have had enough!
clZ| got {aP} {when}, {it} {X}
f| [Unfortunately|I regret to say that|Sadly], the {P} {X}.
carZ| You sent me {aP} that {X}.
tc| Bought {aP} {when}. {It} {X}.
fr| I would like to report that my {P} {X}.
crl| [ugh|hm|ok], my {P} {X}...
r| As for the {P}, {it} {X}, which is [really|such] a pity.
a| I paid {price} for {aP} that {X}!
t| Re {P}: {X}.
fcr| This is about the {P} I [bought|ordered] {when}: {it} {X}.
cZ| My {P} {X} [:(|:/]
fZ| Please be informed that the {P} [delivered|supplied] to me {X}.
raZ| Never in my life have I owned {aP} that {X}.
clt| {P} {X}, help!
fr| I am contacting you about my {P}, which {X}.
acr| Guess what? The {P} {X}.
rZ| We had been looking forward to the {P} for weeks, but {it} {X}.
tl| {P}, bought {when}, {X}.
far| It seems that my {P} {X}.
c| [Just|Only] a quick one: my {P} {X}.
f| I wish to complain about {aP} that {X}.
cr| So I finally [bought|ordered] {aP}, and guess what, {it} {X}.
aU| Three weeks of use, and the {P} {X}!
fcl| I have a problem with my {P}: {it} {X}.
t| {Pc}: {X}. [Bought|Ordered] {when}.
r| Long story short, my {P} {X}.
cr| the [thing|trouble] is, my {P} {X}.
f| With reference to the {P} ordered {when}, I must inform you that {it} {X}.
aSZ| How can {aP} at {price} be this bad? {It} {X}.
fc| I ordered {aP} {when}; {it} {X}.
lc| hey, the {P} i ordered {when} {X}
rZ| I [gave|presented] my {kin} {aP} [for Christmas|as a present], and {it} {X}.
f| We regret to inform you that our {P} {X}.
a| What a joke: my {P} {X}.
tcrZ| Our {P} {X} - not good.
frc| My [husband|wife|partner] and I own {aP} of yours; {it} {X}.
cU| Loved my {P} until {it} {X}.
la| seriously?? my {P} {X}
t| Problem with {P}. {It} {X}.
fr| The reason for my [message|letter] is my {P}, as {it} {X}.
arc| I can't believe it, but my {P} {X}.
f| I hereby notify you that the {P} from my order {X}.
rU| For a while everything was fine with the {P}, and then {it} {X}.
ctS| My {kin}'s birthday present, {aP}, {X}.
l| my {P} {X} lol
ca| Well, the {P} {X}. Great.
fZ| I am afraid that the {P} I received from your company {X}.
t| {P} - {X} - [bought|ordered] {when}.
rc| You may remember that I ordered {aP} {when}. Well, {it} {X}.
fa| To my great disappointment, the {P} {X}.
crfZ| There is something wrong with my {P}, because {it} {X}.
c| Sorry to bother you, but my {P} {X}.
lt| {P} {X}. pls help
a| Shame on you! The {P} {X}.
rZ| I don't know if I am doing something wrong, but the {P} {X}.
fr| Since you are the seller, I must tell you that the {P} {X}.
c| Hoping you can help me: my {P} {X}.
cl| sooo my {P} {X}
a| This is ridiculous. My {P} {X}, full stop.
fr| Some time ago I bought your {P}. {It} {X}.
tZ| Bought: {P}. [Fault|Issue|Problem]: {X}.
cr| My {P} (a gift from my {kin}) {X}.
fa| I expected better: the {P} {X}.
lcr| bit of a problem, the {P} {X}
aZ| {It} {X}!! I am talking about the {P} you sold me.
t| Ordered {when}: {P}. {Xc}.
f| I should like to draw your attention to my {P}, which {X}.
rc| Last night I noticed that my {P} {X}.
c| As the title says, my {P} {X}.
tf| Item: {P}. {Xc}.
crlZ| I was so happy with my {P} but {it} {X}.
aZ| Another day, another problem: now my {P} {X}.
f| Please note the following: our {P} {X}.
rf| A few words about the {P} I [bought|ordered] {where}: {it} {X}.
tla| {P} {X} [!|!!|!!!]
cr| My {P} {X} so I am rather [stuck|lost|annoyed].
f| Having ordered {aP} {when}, I find that {it} {X}.
r| I would never have written to you, only my {P} {X}.
ca| {this} {P} {X} and I'm [fed up|annoyed|so done].
l| help, {P} {X}
fcr| My {P} {X}, and [nobody answers|that is a nuisance|we need it daily].
cr| The {P} {X} and I need {it_o} for [Saturday|work|our trip].
acr| My {P} {X} but [nobody cares|nobody at your shop listens]!
fcr| The {P} {X}, although I paid {price} for {it_o}.
lc| my {P} {X} and im [so annoyed|stuck now]
cr| Turns out my {P} {X}.
fr| The {P} [bought|ordered] {where} {X}, which I find [regrettable|hard to accept].
clt| {P} {X} - what now
tf| {Pc}, [bought|ordered] {where}, {X}.
cr| {when_c} I [bought|ordered] {aP} {where}. {It} {X}.
frZ| On unpacking I saw that the {P} {X}.
car| Here we go again: the {P} {X}.
cfZ| I've been sent {aP} that {X}.
rc| The {P} my {kin} [chose|picked] for me {X}.
a| Your famous {P} {X}. Congratulations!
lc| so i got {aP} and {it} {X}
t| {aPc}, ordered {when}. {Xc}.
fcU| Having used my {P} as described, I find that {it} {X}.
fr| It is about my {P}. As I found out, {it} {X}.
crl| [ok so|right, so] the {P} {X}
cZ| Finally I have my {P}, but {it} {X}.
ca| {It} {X}, your {P}.
tl| {Xc}. That's the {P}.
rf| For your information, my {P} {X}.
cr| You won't believe this, but my {P} {X}.
a| {Pc}? More like rubbish! {It} {X}.
arZS| Why do you sell {aP} that {X}?
fc| There's an issue with the {P}: {it} {X}.
fcr| I have a complaint about the {P} I [bought|ordered] {when}. {It} {X}.
f| The {P} which your company [supplied|dispatched] {when} {X}.
fr| It concerns my {P}. Regrettably {it} {X}.
crS| You know the {P} you had on offer? Well, mine {X}.
crZ| {when_c} my {P} came, and {it} {X}.
c| Hi from an unhappy {P} owner: {it} {X}.
c| Could you have a look at this? My {P} {X}.
caU| Not even a month, and my {P} {X}.
c| Oh dear. My {P} {X}.
cZ| Tried my {P} [yesterday|this morning] and {it} {X}.
cl| ok so i ordered {aP} {when} and {it} {X}
cl| little problem here: my {P} {X}
a| What is wrong with you people? My {P} {X}!
a| {It} {X}, the {P} that cost me {price}!
a| One more time, slowly: my {P} {X}.
a| So much for quality. The {P} {X}!
aS| I have had it with this {P}. {It} {X}!
aSZ| You call this {aP}? {It} {X}!
t| {Pc} ({when}) {X}.
t| {P}: {X}
t| Subject: {P}. {It} {X}.
tZ| Have {aP} from you. {It} {X}.
t| Defect report, {P}: {X}.
t| Bought {aP} {where}. {Xc}.
t| {Pc} bought {when} {X}.
r| Imagine my face when I found that my {P} {X}.
r| I hardly dare to write it, but the {P} we got from you {X}.
r| After long thought I decided to tell you that my {P} {X}.
r| My {kin} laughed when I bought {aP}, and was right, for {it} {X}.
r| It may be my own fault, but the {P} {X}.
r| As you may know, I ordered {aP} {where}; well, {it} {X}.
rcZ| There I was with my {P}, and {it} {X}.
fr| May I point out that the {P} {X}?
fr| To my regret I have found that the {P} {X}.
f| In the matter of the {P} ordered {where}: {it} {X}.
f| Dear all, the {P} {X}.
f| Following my order of {aP} {when}, I note that {it} {X}.
f| Allow me to report the following defect: my {P} {X}.
l| idk what happened but my {P} {X}
l| {P} from u {X}
l| bought {aP} {where}, {it} {X}
l| ummm the {P} {X}
l| my {P} {X} n im sad
l| not cool, {P} {X}
l| so yeah my {P} {X}
crf| The {P}, [bought|ordered] {when}, {X}.
crf| My {P}, a present from my {kin}, {X}.
crU| I use my {P} every week, but now {it} {X}.
cr| First things first: the {P} {X}.
caU| The {P} looked fine at first, but {it} {X}.
c| [Update|Note|Heads-up]: my {P} {X}.
t| Claim: {P} {X}.
a| Never buying {aP} here again, {it} {X}!
f| Our {P} {X}. This was noticed {when}.
f| It is with regret that I inform you that our {P} {X}.
rZ| We have {aP} at home, bought {where}, and I am sorry to say {it} {X}.
c| Bad news, the {P} {X}.
r| What a week. On top of everything, my {P} {X}.
l| any1 there? {P} {X}
cfr| My {P}, which {X}, was [anything but cheap|a present from my {kin}].
fr| The {P}, which cost me {price}, {X}.
crf| My {P} — bought {when} — {X}.
cr| The {P} ({price}!) {X}.
ca| My {P} {X} (see above).
cr| My {P} {X} – you can imagine how I felt.
rfZ| Our {P} {X}; nobody here has touched {it_o} since.
fc| I own {aP}; sadly {it} {X}.
ac| My {P} {X} — unbelievable!
lc| my {P} {X} (what else)
fZ| The {P} {X}, as the enclosed photograph shows.
rc| My {P} {X}, which my {kin} found very funny.
crZ| Since {it} {X}, I can't use my {P}.
ta| {P} {X} / bought {when}
f| Because the {P} {X}, I turn to you.
"""
