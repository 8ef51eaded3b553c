"""Sentence frames for product and fault apart, faults of a part, and labels; notation as in frames_fault.py."""

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
t| Article: {P}.
frSZ| This letter is about {aP} that was delivered {when}.
c| I'm one of the people who bought your {P}.
aZ| Let's talk about the {P} you sold me.
f| I refer to the {P} that I ordered {when}.
lrZ| got myself {aP} {when}
cZ| My {kin} gave me {aP} from your shop.
f| I placed an order for {aP} {when}.
f| This is a complaint about {aP} that I ordered {where}.
fr| My message is about the {P} from your shop.
crS| Let me tell you about my {P}.
c| You've got a great shop, and {when} I ordered {aP}.
c| I want to talk about my {P}.
cSZ| So I have this {P}.
a| I bought your {P}. Silly me!
a| I ordered {aP} {when}. What a mistake!
tl| about {P}.
t| Ordered {aP} {when}.
tZ| Have {aP}, [bought|ordered] {where}.
r| {when_c}, after some back and forth with my {kin}, I ordered {aP}.
rSZ| There is {aP} standing here in front of me, ordered {where}.
rS| You will surely remember {aP} that left your warehouse {when}.
l| got a question or more like a problem with my {P}
l| so i ordered {aP}
l| bought {aP} {where}
cl| it's the {P} again
rf| I would like to come back to the {P} that I [bought|ordered] {when}.
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
r| Not long ago I found that {it} {X}.
lt| {it} {X}, not ok
rcf| In short, {it} {X}.
f| I must inform you that {it} {X}.
f| To my disappointment {it} {X}.
fr| As it happens, {it} {X}.
c| [Oh no|Oops], {it} {X}.
c| Bad luck: {it} {X}.
cr| And guess what? {It} {X}.
a| {It} {X}, believe it or not!
a| Result: {it} {X}!
t| Defect: {X}.
t| {It} {X}.
t| Symptom: {X}.
t| What is wrong: {it} {X}.
r| My {kin} saw it too: {it} {X}.
r| I hoped that I was mistaken, but no, {it} {X}.
r| In the end it was plain to see: {it} {X}.
l| {it} {X} ffs
l| now {it} {X}
l| lol {it} {X}
cr| My complaint? {It} {X}.
f| The defect is the following: {it} {X}.
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
t| {Pc}, bought {when}: {C}.
rc| We were using the {P} as always when suddenly {C}.
c| Look, I like the {P}, but {C}.
fr| I bought {aP} {where}, and already {C}.
lt| {P} - {C}
a| {price} for {aP}, and {C}!
cr| My {P} would be great, only {C}.
f| I received the {P} {when} and found that {C}.
cl| just got the {P} and {C}
cr| My {P} has a problem: {C}.
c| So about my {P}, {C}.
ta| {Pc}! {Cc}!
t| Fault in {P}: {C}.
a| Your {P} is a joke: {C}!
a| I paid {price} for the {P} and {C}.
l| hmm my {P}, {C}
r| You would not think it of {aP}, but {C}.
r| With the {P} from my {kin} things went wrong, as {C}.
f| Regarding the {P}: {C}.
f| On inspection of the {P} I found that {C}.
c| I unpacked the {P} and saw that {C}.
cr| Everything about my {P} is lovely except that {C}.
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
cr| The order I placed {when} {X}.
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
t| Product = {P}, problem = {N}
f| Article: {P}. Description of the fault: {N}.
t| Fault report. {Pc}. {Nc}.
c| Product: {P}¶Issue: {Nc} :(
t| What happened: {N}¶Product: {P}
t| {N}, {P}.
t| Problem: {N}¶Product: {P}
t| {Pc}: {N}.
t| Defective: {P} ({N})
f| Subject of the complaint: {P}¶Fault: {N}
c| {Pc}, the issue is simple: {N}.
t| Product - {P}¶Complaint - {N}
l| {P}: {N}
t| Item: {P}; issue: {N}
a| {Pc}: {N}!
t| Return reason for {P}: {N}
"""
