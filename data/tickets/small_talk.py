"""Sentences that say nothing about the matter; the notation is explained in frames_fault.py and fillers.py."""

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
f| I wish to remain on good terms with your company.
f| I have informed the consumer advice centre.
f| The goods were paid for in full.
f| My patience is coming to an end.
fB| This came as an unpleasant surprise.
f| I would be pleased to provide further details.
f| Until now I had no reason to complain.
fB| I find this most regrettable.
f| Please treat my data as confidential.
f| I shall be away from the 15th to the 20th.
c| I know you get a lot of these.
c| It's Monday, what else can I say.
c| My phone keeps changing words, so bear with me.
cB| I'm a bit lost here, to be honest.
c| The last time you were super helpful.
cB| What a bummer.
c| I found you through a video.
c| Nice new website, by the way!
cZ| It's been on my shelf since then.
cB| I had big plans for it.
a| I pay good money and get treated like this!
a| Don't you dare send me another standard answer!
aB| My patience is over.
a| Four mails and not one answer!
aB| I am so angry I could scream.
a| Is there anybody at your place who does any work?
t| Third attempt to reach you.
t| Away next week.
tB| Not acceptable.
t| Reply by mail only.
tZ| Can send photos.
tB| Disappointed.
r| My glasses are at the optician's, so I hope I hit the right keys.
r| Yesterday was my birthday, which I spent in a waiting room, but that is another story.
r| The radio says it will snow, and I believe every word of it.
r| I used to work in a shop myself, so I know how it is.
r| You may find this a long letter, but I was taught to tell things in order.
rB| My late husband would have known what to do.
r| We have four children, two rabbits and a very small kitchen.
rB| It was supposed to be a surprise for our anniversary.
r| First I wanted to phone, then I thought it better to write.
r| Our village has one bus a day and it leaves before your shop opens.
rB| I told the whole story to the hairdresser, who was shocked.
r| It all started with a discount code that I found in a magazine.
l| hope ur having a good day
l| srry for the long text
lB| im so over this
l| writing from work so quick
l| my keyboard is weird today
lB| was rly looking forward to it
l| sent u a mail last week too
l| ppl said ur shop is legit
"""
