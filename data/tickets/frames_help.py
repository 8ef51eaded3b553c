"""Sentence frames for a repair and for information; the notation is explained in frames_fault.py and
frames_wish.py.
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
fR| I request that you put {them} right.
fR| Would you kindly repair {them}?
fRH| Please name a workshop that can repair {them}.
frR| I would be satisfied with a repair.
cR| Could you have {them} fixed for me?
cRP| I'd like my {short} fixed, please.
cR| Would a repair be possible?
c| Please fix this for me.
cRH| Do you do repairs? I'd like one.
aR| I demand that you fix {them}!
aR| Get your people to repair {them}, at once!
tR| Wants: repair
tR| Fix {them} please.
tRH| Send technician please.
rRH| In my day one had such things mended, and that is what I ask for.
rR| I am fond of {them}, so I would like to have {them} repaired.
lR| repair would be great
lR| can u get {them} to work again
lRH| need a repair guy
lR| plz repair
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
cr| Can you let me know how long the guarantee runs?
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
a| Explain this to me!
t| What is the warranty period?
l| who do i talk to about this?
cf| Whom should I contact about the guarantee?
frR| I only wish to know whether this is normal.
cr| Not asking for money, just tell me why this happens.
a| What is going on? I want an explanation!
l| wanna know why
fR| I should be glad to learn the cause.
f| Kindly inform me about the terms of the warranty.
f| I would appreciate an explanation.
f| Please explain how long this will take.
frR| May I ask whether you have heard of this before?
c| Any idea what's going on?
c| How does the guarantee work in this case?
cR| Have other customers told you about this?
cR| What can I do about it myself?
c| Could you tell me what the reason is?
cR| Where can I read up on this?
a| I want to know how that could happen!
a| Answer me this: how long is the warranty?
t| Wants: information
t| Cause?
tR| Known problem?
t| How long will this take?
r| What I would really like to know is how it came to this.
r| Perhaps you can tell me what the guarantee says.
l| what does the warranty say
l| is there a guarantee on {them}
lR| u know whats wrong with {them}?
l| how come?
cr| Before I ask for a repair: is it still under warranty?
"""
