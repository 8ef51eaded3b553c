"""Sentence frames for what the writer wants: a refund or a replacement; notation as in frames_fault.py.

Further conditions: L only for and R not for goods that never came, P needs a product named before.
Frames without a pronoun may also stand before the fault. {short} is the product without brand and model.
"""

REFUND = """
fcr| I would like a refund.
cr| Could you put the {price} back on my card?
f| I [request|ask for] a full refund.
al| i want my money back
t| Refund [please|requested].
ca| Just give me back what I paid.
fr| I would prefer to be reimbursed.
f| Kindly reimburse me for the full [amount|price].
ca| I want my {price} back!
t| Money back, please.
cr| Can I [have|get] my money back?
a| Refund me [now|today|at once]!
crl| i'd like to get my money back
f| I expect the purchase price to be [refunded|credited] within 14 days.
fr| I am cancelling the purchase and ask you to pay me back.
rc| All I want is my money.
tl| refund pls
fcr| Please refund me.
a| You will pay me back every cent.
fr| Please [return|transfer] the [amount|money] to my [account|card].
cl| pls refund
crfR| I want to send {them} back and get a refund.
t| Wish: refund.
r| After all this I would rather just have the {price} returned to me.
fcra| A refund is all I ask for.
f| I withdraw from the contract and claim back the {price}.
ca| Can you please give me a refund?
t| Reimbursement, please.
cr| I'd be glad to see the {price} back in my bank account.
fa| I demand [a full refund|my money back].
lc| when can i get my money back
cr| Would you refund the {price}, please?
fr| Not a replacement, please: I want a refund.
cra| I don't want another one, I want my money back.
fr| A repair is of no use to me, so please refund the price.
crf| Please don't send me a new one, just refund me.
fc| Rather than a repair, I would like my money back.
lc| no new one please, just the money
a| I want every cent back!
fcr| I was offered a repair but I would prefer a refund.
cr| I'd rather just have my cash back.
f| Please arrange for the money to be paid back.
c| Can you credit my card?
a| Give me my money back!
t| Pls credit account.
l| gimme my money back pls
rc| I think it's only fair that I get back what I paid.
fr| I insist on having the payment returned.
l| refund me pls
a| No voucher, no replacement: cash back on my card!
t| Full refund.
crf| How can I get my money back?
f| The amount should be credited to me.
cr| I'd like what I paid to be returned, please.
c| Can I cancel and get a refund?
l| would like a refund
fr| Please confirm that you will reimburse me.
t| Want: money back.
f| I would be obliged if you refunded the amount.
f| Please reverse the charge on my credit card.
fr| Under these circumstances I can only ask for my money back.
c| I'd like to be refunded, please.
c| Would a refund be possible?
c| Can you pay me back?
c| Just the money back and we're good.
a| Refund! Now!
a| You have three days to refund me!
a| I'm not asking for much: my money, and that at once!
t| Wants: refund
t| Credit note please, to card.
t| Refund to card.
r| I have thought about it, and what I would like is a refund.
r| If it is not too much trouble, please let me have my money back.
l| i need my money back
l| can i get a refund
l| refund??
l| u better pay me back
cr| I'd sooner have a refund than anything else.
"""

REPLACEMENT = """
fcr| I would like a replacement.
crP| Can you send me another one?
f| Please [send|ship] me a replacement.
al| i want a new one
t| Replacement [please|requested].
fcrR| Please exchange {them}.
crP| Could a fresh one be posted to me?
fr| I would ask you to replace {them}.
a| Send me a [working|proper|decent] one!
t| New one, please.
crP| Could you send a new one out to me?
f| Kindly arrange for a [replacement|substitute] to be delivered.
clP| can u send me a new one
frR| I would like to exchange {them} for [an intact|a faultless] one.
c| A swap would be great.
fa| I expect [a replacement|a substitute] by [Friday|next week|the end of the month].
tl| replacement pls
rcP| I'd just like to have one that is as it should be.
a| Replace {them}, and fast!
crR| Can I swap {them} for another one?
fP| Please provide me with a new one under the warranty.
t| Wish: replacement.
cr| Would you mind sending a replacement?
lcR| want to swap {them}
rP| All I am asking for is a new one in its place.
fcr| Keep the money, I just need another one.
crP| Could I get a new one?
t| Exchange, please.
faP| Please dispatch another one [immediately|without delay].
crP| I'd love to get another one instead.
acr| I want [it|the whole thing] replaced.
cr| It would be lovely if you could ship another.
fr| I do not want a refund; please send a new one.
cra| Not a refund, I want a replacement.
fcr| Please let me have a replacement.
fr| No repair, please, I would rather have a replacement.
crR| I don't want my money back, just swap {them}.
lc| no refund needed, just send another
arP| Don't pay me back and don't patch it up: I want a new one.
frc| You offered me a refund, but I would prefer a replacement.
crRP| Could you swap {them} over?
fL| Please send the goods once more.
cL| Can you send {them} again?
fcrR| Please send me one that works.
crP| Please send me another {short}.
frP| I would like to receive a new {short}.
aP| I want a new {short}!
lP| another {short} pls
tP| New {short}, please.
crR| Could I have [a working|an undamaged|a proper] one?
f| I am entitled to a new item and hereby claim it.
a| Get me a new one by [Monday|tomorrow]!
lL| just send {them} again
tL| Please resend.
rP| I would be over the moon if a new {short} came in the post.
c| Any chance of a replacement?
fr| Please substitute the item.
l| need a new one
t| Send new one.
f| I opt for a replacement.
cr| Ideally you'd just ship me a new one.
f| I request that a replacement be sent to my address.
f| I would be grateful for an exchange.
f| Would you kindly supply a replacement?
fP| Please deliver a new {short} at your expense.
fr| What I would like is a new one, free of charge.
c| Please send a replacement.
cP| Could I have a new {short}, please?
c| Can I get a new one instead?
c| I'd be happy with a replacement.
cL| Could you post {them} again, please?
a| I demand a replacement!
a| I want a new one, and I want it now!
t| Wants: replacement
t| New item please.
t| Replace, please.
r| If you still have one in stock, I would love a replacement.
rP| My dearest wish would be a new {short}.
l| can i get a replacement
l| send me a new one
lP| can u swap my {short}
l| replacement??
cr| A new one is all that I need.
"""
