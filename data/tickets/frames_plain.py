"""Sentence frames for messages without a fault or without a clear wish; notation as in frames_fault.py."""

# Questions that come with no fault at all.
PLAIN_QUESTIONS = """
fcr| Could you tell me whether the {P} [comes with a warranty|can be used outdoors|is made in Europe]?
cr| How long is the warranty on the {P}?
f| Please let me know if you still [stock|sell] spare parts for the {P}.
cl| does the {P} come with a manual?
t| Question about {P}: how long is the guarantee?
fr| I would like to know when the {P} I ordered will be [sent out|delivered].
cr| Is it true that the {P} is sold in other colours?
ca| When will my {P} be here? I only ordered {when}, just asking.
f| I should like to know how the {P} is to be cleaned.
lc| how do i register the {P}?
t| {Pc} - which size fits?
fr| Could you inform me about the opening hours for picking up my {P}?
cr| Can I change the delivery address for my {P}?
c| Which cleaning product should I use on my {P}?
r| My {kin} would like to know what your {P} is made of.
f| May I ask what the {P} weighs?
c| Do you have a manual for the {P} as a file?
l| is the {P} still in stock?
t| {Pc}: spare parts available?
f| Kindly tell me which accessories fit the {P}.
r| My {kin} asked me whether your {P} would suit a beginner, and I had no answer.
c| Can the {P} be gift-wrapped?
a| How much longer do I have to wait for an answer about the {P}? I only asked what it is made of!
f| I would be interested to know whether the {P} can be ordered in another size.
c| I'm thinking of buying {aP}, how long is the warranty?
t| {Pc}: delivery time?
l| how long does the {P} take to arrive?
r| Before I order {aP}, I would like to know how heavy such a thing is.
c| Where do I find the instructions for my {P}?
f| Would you kindly tell me when the {P} will be in stock again?
l| can i use the {P} outside?
t| Info on {P} wanted: colours, sizes.
"""

# The same without any fault, where the writer has changed his or her mind.
PLAIN_RETURNS = """
fcr| I would like to return my {P} and get my money back.
c| Changed my mind about the {P}, can I get a refund?
f| I am withdrawing from the purchase of the {P} and request a refund.
t| Return of {P}. Refund please.
lc| dont need the {P} anymore, can i have my money back
fr| Please refund the {P}, as I no longer need {them}.
cr| My {kin} already has the same {P}, so I would like a refund.
cr| I would like to swap the {P} I ordered for another one in a bigger size.
fr| Please cancel my order for the {P} and refund me.
cl| can i exchange the {P} for another colour?
f| I hereby return the {P} and expect a refund.
c| The {P} isn't for me after all, so money back please.
l| can u refund the {P}
t| Exchange {P} for another size, please.
f| I request that the {P} be exchanged for a larger one.
c| Could I swap the {P} for a different model?
a| I don't want the {P} any more, give me my money back!
c| I don't need the {P} after all, could I get my money back?
f| As I have no use for the {P}, I kindly request a refund.
l| wanna swap the {P} for a bigger one
t| {Pc} not needed after all. Money back please.
r| My {kin} gave me the very same {P}, so I would be glad to have my money back.
f| I would like to exchange the {P} for a different model.
c| Can I swap the {P} for another colour?
"""

# Says that something must happen, but not what.
NO_WISH = """
fcr| I look forward to hearing from you.
ca| Please do something about it.
f| I would appreciate a prompt answer.
cl| pls get back to me
t| Please reply.
a| This is unacceptable!
r| I just thought you should know.
fr| I await your reply.
crl| not happy about this
c| Hope to hear from you soon.
f| I trust that you will deal with the matter.
a| Do your job!
tl| waiting
ra| I leave it to you what to make of that.
fcr| Please take care of this soon.
a| You will hear from me again.
cr| That's all, really.
l| pls sort this
f| Please treat this as a formal complaint.
a| Do something!
fr| I count on your prompt attention.
c| Just letting you know.
l| just saying
t| Get in touch.
r| Well, now you know, and I feel better already.
a| I am speechless!
fc| Thank you for dealing with this.
l| hope u can help
t| Please respond.
r| I shall say no more about it.
f| I ask you to look into the matter.
f| Kindly acknowledge this message.
c| Let's see what you make of it.
c| Please look into it.
a| Deal with it!
a| Never again!
t| Awaiting reply.
t| Action needed.
r| That was all I had to say, thank you for reading this far.
l| ok thats it
l| do something pls
r| I trust that you will find a solution.
"""
