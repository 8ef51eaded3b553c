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
t| Order of {when}: {P} {X}.
f| I should like to draw your attention to my {P}, which {X}.
rc| Last night I noticed that my {P} {X}.
c| Bad news, the {P} {X}.
tf| Item: {P}. {Xc}.
crlZ| I was so happy with my {P} but {it} {X}.
aZ| Another day, another problem: now my {P} {X}.
f| Please note the following: our {P} {X}.
rf| A few words about the {P} I [bought|ordered] {where}: {it} {X}.
tla| {P} {X} [!|!!|!!!]
cr| Turns out my {P} {X}.
f| Having ordered {aP} {when}, I find that {it} {X}.
r| I would never have written to you, only my {P} {X}.
ca| {this} {P} {X} and I'm [fed up|annoyed|so done].
l| help, {P} {X}
fcr| My {P} {X}, and [nobody answers|that is a nuisance|we need it daily].
cr| The {P} {X} and I need {it_o} for [Saturday|work|our trip].
acr| My {P} {X} but [nobody cares|nobody at your shop listens]!
fcr| The {P} {X}, although I paid {price} for {it_o}.
lc| my {P} {X} and im [so annoyed|stuck now]
cr| My {P} {X} so I am rather [stuck|lost|annoyed].
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
cZ| I opened the box and the {P} {X}.
ca| {It} {X}, your {P}.
tl| {Xc}. That's the {P}.
rf| For your information, my {P} {X}.
cr| You won't believe this, but my {P} {X}.
a| {Pc}? More like rubbish! {It} {X}.
arZS| Why do you sell {aP} that {X}?
fc| There's an issue with the {P}: {it} {X}.
"""

PRODUCT_ALONE = """
fcr| I [bought|ordered|purchased] {aP} {when}.
fr| I am writing [about|regarding|concerning] my {P}.
cl| it's about my {P}
t| {Pc}, [bought|ordered] {when}.
f| My [enquiry|message] concerns the {P} I [ordered|purchased] {where}.
car| You sold me {aP} {when}.
crZ| So, {when} I [got|ordered] myself {aP} {where}.
f| I recently purchased {aP} from your company.
t| Re: {P}.
lc| quick one about the {P} i ordered {when}
r| {when_c} my {kin} talked me into buying {aP}.
a| I spent {price} on {aP} from you!
frZ| I am the owner of {aP}, [bought|ordered] {where}.
cZ| I've got {aP} from you guys.
t| Product: {P}.
r| For years I had wanted {aP}, and {when} I finally ordered one of yours.
fa| I paid {price} for {aP} {when}.
cr| Remember the {P} I ordered {when}?
tl| about {P}.
frZ| This letter is about {aP} that was delivered {when}.
c| I'm one of the people who bought your {P}.
aZ| Let's talk about the {P} you sold me.
f| I refer to the {P} that I ordered {when}.
lrZ| got myself {aP} {when}
cZ| My {kin} gave me {aP} from your shop.
"""

FAULT_ALONE = """
fcarl| {It} {X}.
fr| Unfortunately, {it} {X}.
a| {It} {X}!
cl| thing is, {it} {X}
t| {Xc}.
car| Well, {it} {X}.
f| I have to report that {it} {X}.
rc| The [trouble|problem|issue] is that {it} {X}.
t| [Fault|Problem|Issue]: {X}.
fr| I regret to say that {it} {X}.
cl| anyway {it} {X}
a| And what happens? {It} {X}!
rc| To be honest, {it} {X}.
f| As it turns out, {it} {X}.
ct| Problem: {it} {X}.
r| What I noticed is that {it} {X}.
fc| Sadly {it} {X}.
a| Now {it} {X}. Brilliant.
l| and {it} {X} :(
fr| My complaint is simple: {it} {X}.
crl| turns out {it} {X}
a| You know what? {It} {X}.
t| Complaint: {X}.
f| The situation is as follows: {it} {X}.
cr| I hate to say it, but {it} {X}.
f| On closer inspection it is clear that {it} {X}.
ca| Surprise: {it} {X}.
r| My {kin} saw it too: {it} {X}.
lt| {it} {X}, not ok
rcf| In short, {it} {X}.
"""

PRODUCT_AND_CLAUSE = """
fcarl| My {P} is a problem: {C}.
cr| I have [bought|ordered] {aP} and {C}.
f| I regret to report a fault in my {P}: {C}.
tl| {P}: {C}.
cra| About the {P} I got {when}: {C}.
fr| I [bought|ordered|purchased] {aP} {when}, but {C}.
a| You sold me {aP} and {C}!
lc| got your {P} {when} but {C}
fr| There is something wrong with the {P} I [ordered|bought] {when}: {C}.
t| {Pc}. {Cc}.
r| I was pleased with my {P} at first, but {C}.
cl| problem with my {P}, {C}
f| I must return to the matter of the {P}: {C}.
ca| Not happy with my {P} because {C}.
t| Re {P} - {C}.
rc| I took a look at the {P} and, well, {C}.
f| The {P} that I received is faulty: {C}.
a| Look at this {P}! {Cc}!
lr| so with the {P} {C}
f| Concerning the {P} supplied {when}, {C}.
crf| On my {P}, {C}.
fr| There is a defect in the {P}, because {C}.
cl| my {P}... {C}
ta| {Pc}! {Cc}!
rc| We were using the {P} as always when suddenly {C}.
c| Look, I like the {P}, but {C}.
fr| I bought {aP} {where}, and already {C}.
lt| {P} - {C}
a| {price} for {aP}, and {C}!
cr| My {P} would be great, only {C}.
f| I received the {P} {when} and found that {C}.
cl| just got the {P} and {C}
"""

FAULT_WITHOUT_PRODUCT = """
fcr| The item I [bought|ordered] {when} {X}.
caZ| What you sent me {X}!
lc| my order {X}
t| Item {X}.
fr| My purchase {X}.
rcfZ| The thing I [got|ordered] from you {when} {X}.
a| My parcel? It {X}!
t| Order {X}.
cl| the stuff i ordered {X}
fr| I regret to inform you that the article I ordered {when} {X}.
fr| What I ordered from you {when} {X}.
c| So the thing I bought {where} {X}.
cr| My order from {when} {X}.
l| it {X}, the thing i bought
a| Your article {X}!
c| Hm, my latest purchase {X}.
ra| Whatever it was that you sold me {when}, it {X}.
lZ| just got my stuff, it {X}
fZ| The item delivered by you {X}.
"""

LABELLED = """
t| Product: {P}¶[Problem|Issue]: {N}
t| Item - {P}. Fault - {N}.
tf| Product: {P}¶Fault: {Nc}
tl| {P}, problem: {N}
t| Article: {P}¶Defect: {N}
fr| Product concerned: {P}. Problem: {N}.
tc| {Pc}. Issue: {N}.
tf| Item: {P}¶Problem: {Nc}
ta| {Pc} / complaint: {N}!
t| What: {P}¶What is wrong: {N}
t| Product: {P} / Problem: {N}
tf| Affected product: {P}¶Description: {Nc}
lt| {P} - {N}
t| {N}, {P}.
f| Article: {P}. Description of the fault: {N}.
t| Fault report. {Pc}. {Nc}.
c| Product: {P}¶Issue: {Nc} :(
t| What happened: {N}¶Product: {P}
t| Product = {P}, problem = {N}
t| Problem: {N}¶Product: {P}
"""
