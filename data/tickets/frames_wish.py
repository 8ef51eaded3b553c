"""Sentence frames for what the writer wants; the notation is explained in frames_fault.py.

Further conditions: L only for and R not for goods that never came, P needs a product named before. Frames without a
pronoun may also stand before the fault. {short} is the product
without brand and model.
"""

REFUND = """
fcr| I would like a refund.
cr| Can I [have|get] my money back?
f| I [request|ask for] a full refund.
al| i want my money back
t| Refund [please|requested].
ca| Just give me back what I paid.
fr| Please [return|transfer] the [amount|money] to my [account|card].
f| Kindly reimburse me for the full [amount|price].
ca| I want my {price} back!
t| Money back, please.
cr| Could you put the {price} back on my card?
a| Refund me [now|today|at once]!
crl| i'd like to get my money back
f| I expect the purchase price to be [refunded|credited] within 14 days.
fr| I am cancelling the purchase and ask you to pay me back.
rc| All I want is my money.
tl| refund pls
fcr| Please refund me.
a| You will pay me back every cent.
fr| I would prefer to be reimbursed.
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
a| No voucher, no replacement: cash back on my card!
fcr| I was offered a repair but I would prefer a refund.
cr| I'd rather just have my cash back.
f| Please reverse the charge on my credit card.
c| Can you credit my card?
a| Give me my money back!
t| Pls credit account.
l| gimme my money back pls
rc| I think it's only fair that I get back what I paid.
fr| I insist on having the payment returned.
l| refund me pls
a| I want every cent back!
t| Full refund.
crf| How can I get my money back?
f| The amount should be credited to me.
cr| I'd like what I paid to be returned, please.
c| Can I cancel and get a refund?
l| would like a refund
fr| Please confirm that you will reimburse me.
t| Want: money back.
"""

REPLACEMENT = """
fcr| I would like a replacement.
crP| Can you send me another one?
f| Please [send|ship] me a replacement.
al| i want a new one
t| Replacement [please|requested].
fcrR| Please exchange {them}.
crP| Could I get a new one?
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
fcr| Please let me have a replacement.
crP| Could a fresh one be posted to me?
t| Exchange, please.
faP| Please dispatch another one [immediately|without delay].
crP| I'd love to get another one instead.
acr| I want [it|the whole thing] replaced.
cr| It would be lovely if you could ship another.
fr| I do not want a refund; please send a new one.
cra| Not a refund, I want a replacement.
fcr| Keep the money, I just need another one.
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
"""

REPAIR = """
fcrR| I would like to have {them} repaired.
crR| Can you fix {them}?
fR| Please repair {them}.
alR| just fix {them}
tR| Repair [please|requested].
crfR| Could somebody repair {them}?
fRH| I request a repair under warranty.
cRH| Can I bring {them} in to be fixed?
aR| Fix {them}, [now|at last|for once]!
tRH| To be repaired, please.
fcrR| I'd like to get {them} fixed.
fR| Kindly arrange [the repair|for a repair].
clR| can u fix {them} pls
frRH| I would be grateful if your workshop could mend {them}.
rcRH| I'd hate to throw {them} away, so please fix {them}.
aRH| I want {them} mended, and properly this time!
tlR| repair pls
frRH| Please send a technician to put {them} right.
crRH| Would you be able to mend {them}?
tR| Wish: repair.
crRH| Could one of your people come round and fix {them}?
frRH| I would like to send {them} in for repair.
faR| I expect you to repair {them} free of charge.
lcR| need someone to fix {them}
crR| All I need is a repair.
fRH| Please have {them} repaired.
crR| Is there a chance you could get {them} working again?
tRH| Please mend.
acR| Get {them} working again!
frRH| I ask that {them} be put back in working order.
frR| I do not want a refund; I would like a repair.
crR| Don't send me another one, please just fix {them}.
caR| Not a new one, not a refund: a repair.
lcR| no replacement, just repair {them}
frR| Rather than a replacement, I would like a repair.
crR| Keep the money, just fix {them}.
frcR| You suggested a replacement, but I would rather have {them} repaired.
tR| No refund, repair please.
crR| I don't need my money back if you can repair {them}.
fR| I would prefer a repair to a refund.
crR| Please make {them} work again.
frRP| Please repair the {short}.
cRP| Could you fix my {short}?
aRP| I want my {short} fixed!
lRP| pls fix my {short}
tRP| {short} to be repaired.
cr| Can you get this fixed?
frRH| I would like to have {them} serviced at your workshop.
crRH| Where can I drop {them} off so that somebody fixes {them}?
fr| Please rectify the fault.
rRH| There must be someone at your end with a screwdriver who can mend {them}.
lR| can someone fix {them}
t| Fix please.
a| Repair this, and quickly!
fR| I ask you to remedy the defect.
cR| I'd love for {them} to be working again, so please fix {them}.
c| Please get it fixed.
f| I wish to claim a repair.
"""

INFORMATION = """
fcr| Could you tell me [how long the warranty lasts|whether the warranty covers this]?
crR| Do you know [why this happens|what causes this]?
f| Please let me know [whether this is covered by the warranty|how I should proceed with the claim form].
clR| is this normal?
t| Question: [is this under warranty|how long is the guarantee]?
fcr| How long does the warranty last?
fr| I would be grateful for information [about the guarantee|on spare parts].
crR| Is there a manual I could read?
a| Can anybody tell me how long I [must|have to] wait?
lc| is there still warranty on {them}?
frR| Could you explain how to [reset|clean|store] {them}?
t| Please advise if this is under guarantee.
cr| I just want to know [how this could happen|if I am the only one].
f| I kindly ask for information on the [conditions of the guarantee|next steps for a claim].
crR| Am I doing something wrong?
cl| do u know what that means?
r| I was wondering if you could tell me whether others have seen the same.
tR| Is there a spare part?
fcr| Can you tell me when you will have news?
frR| Please inform me where I can buy spare parts.
ca| Can you at least tell me what is going on?
crl| just wondering how long the guarantee is
frR| Is it safe to keep using {them}?
t| Info on warranty, please.
crR| What does the manual say about this?
fr| I would like to know who is responsible for this.
cR| What should I try first?
faR| Please explain to me how such a thing is possible.
t| Is this a known issue?
crR| Have you any idea what I could try?
lR| any tips what to do?
fr| My only question is whether the guarantee applies here.
fcr| I don't want a refund, I only want to know [why|if this is usual].
frc| No need for a replacement yet, but could you tell me if it is a known fault?
cr| Before I ask for a repair: is it still under warranty?
cL| Where is it now?
frL| Please tell me when I can expect the delivery.
crL| When will my parcel come?
lL| where is my parcel
tL| Where is it?
aL| Where is my parcel?!
frL| Could you tell me the status of my order?
cL| Do you know when it will get here?
tL| Status?
lL| any news when it comes?
rL| I was wondering if somebody could find out where my parcel is.
fr| Please explain the cause to me.
c| What does the warranty cover?
lc| how does the warranty work?
cr| Can you explain what happened?
rR| It would put my mind at ease to hear what the reason could be.
fr| Which documents do you need from me?
a| What is going on? I want an explanation!
t| What is the warranty period?
l| who do i talk to about this?
cf| Whom should I contact about the guarantee?
frR| I only wish to know whether this is normal.
cr| Not asking for money, just tell me why this happens.
a| Explain this to me!
l| wanna know why
"""
