"""Faults, by the kind of product and by when they show.

`<is|are>` agrees with the product (one thing or several), `[a|b]` is a free choice, `{part}` is a part of
the product and `{days}` a number. Each fifth line of every block belongs to the test set.
A predicate follows the product or a pronoun ("stopped charging"); a clause has a part of the product as
its subject ("the lid does not close"); a noun phrase follows a label ("Problem: cracked lid").
`*`: only for what has a motor or a plug.
"""

PARTS = {
    "electronics": "screen|power button|battery|charging port|left side|volume dial|casing|USB socket|stand|display"
    "|cable|antenna"
    "|microphone jack|back cover|status light",
    "kitchen": "lid|handle|base|on/off switch|heating plate|power cord|rim|timer|glass jug|drip tray|control dial"
    "|seal|motor|spout|inner bowl",
    "clothing": "zip|left sleeve|lining|collar|seam|inner pocket|strap|buckle|hem|top button|stitching|drawstring"
    "|front panel|waistband|label",
    "furniture": "top drawer|back panel|left leg|right armrest|hinge|seat|frame|middle shelf|door|base plate"
    "|headboard|backrest|top edge"
    "|handle|mounting bracket",
    "tools": "trigger|chuck|blade guard|battery pack|handle|safety catch|motor housing|locking pin|nozzle"
    "|carry case|side grip|depth stop"
    "|power switch|clamp|base",
    "toys": "front wheel|battery cover|left arm|remote|music box|lid|axle|steering wheel|plastic hook|sound button"
    "|rear wheel|roof|ladder"
    "|box|main track",
    "media": "cover|spine|dust jacket|first disc|back cover|binding|index page|inner sleeve|corner|map section"
    "|last chapter|case"
    "|title page|front page|paper",
    "garden": "starter cord|handle|hose connector|blade|wheel|grille|pole|frame|valve|fuel cap|cover sheet"
    "|shoulder strap|base|nozzle|hinge",
    "sports": "left pedal|seat post|chin strap|zip|pump valve|grip|frame|handlebar|display|foot strap"
    "|resistance knob|carry bag|buckle"
    "|inner tube|base",
    "household": "power cord|filter|water tank|handle|lid|display|hose|front panel|wheel|switch|seam|brush head"
    "|door seal|dust container|dial",
    "digital": "download link|login page|activation code|account page|sync function|search page|export button"
    "|payment page",
}

# predicates; each fifth line of every block belongs to the test set
LOST = """
never arrived
<has|have> not arrived yet
<was|were> never delivered
<is|are> still not here after {days} days
did not turn up
went missing in the post
<has|have> been stuck at the depot for {days} days
got lost on the way
<was|were> delivered to the wrong address
<has|have> been in transit for {days} days
should have been here {days} days ago
<was|were> sent back to you by mistake
<is|are> {days} days late
<was|were> not in the parcel
<was|were> left out of the delivery
still <shows|show> as dispatched after {days} days
<has|have> not been sent out for {days} weeks
hasn't shown up for {days} days
<has|have> disappeared between your warehouse and my house
did not come with the rest of the delivery
"""

STATE = """
arrived broken
arrived with [a deep scratch|a big dent|a long crack] [on|across] the {part}
came without the {part}
<is|are> missing the {part}
<was|were> delivered with a broken {part}
turned up with a bent {part}
<is|are> the wrong colour
came in the wrong size
<has|have> a cracked {part}
<is|are> not what I ordered
<was|were> damaged in [transit|the post]
arrived [badly|slightly|completely] [scratched|dented|stained]
<has|have> a stain on the {part}
<looks|look> nothing like the [photo|picture] on your site
<was|were> already [used|opened] when I unpacked <it|them>
arrived smashed to pieces
<has|have> a [faulty|loose|crooked|damaged] {part}
<is|are> a different model from the one I paid for
came in an opened box with no {part}
<was|were> packed so badly that the {part} snapped
<has|have> scratches all over the {part}
<is|are> much smaller than described
turned up in {days} pieces
<was|were> covered in [dust|scratches|glue] when I opened the box
<does|do> not match the description
<is|are> missing {days} screws
came with [someone else's|the wrong] {part}
<has|have> a {part} that does not fit
arrived [wet|soaked] from the rain
<has|have> a hole near the {part}
<is|are> damaged
arrived in pieces
<is|are> incomplete
<has|have> a big crack
came broken
"""

GENERAL = """
<is|are> broken
broke
stopped working
<does|do> not work
<is|are> faulty
<is|are> not working
gave up the ghost
<is|are> defective
<is|are> falling apart
packed up
<does|do> not work properly
<has|have> a defect
fell to bits
<is|are> useless
broke down
<has|have> stopped working
<has|have> broken
gave out
no longer <works|work>
<is|are> acting up
<has|have> never worked
<is|are> coming apart
<has|have> given up
went wrong
<is|are> already worn out
"""

CLAUSES = {  # the subject is a part of the product, so it belongs to the span
    "use": """
the {part} came off
the {part} is loose
the {part} broke
the {part} has stopped working
the {part} is stuck
the {part} snapped off
the {part} keeps falling off
the {part} does not move any more
the {part} gave up
the {part} has split
the {part} won't stay on
the {part} jams
the {part} rattles
the {part} fell apart in my hands
the {part} has worn through
""",
    "state": """
the {part} is missing
the {part} is cracked
the {part} was bent
the {part} does not fit
the {part} was [badly|visibly] scratched
the {part} had already been used
the {part} is crooked
the {part} was stained
the {part} is the wrong colour
the {part} arrived broken
""",
    "digital": """
the {part} does not work
the {part} shows an error
the {part} is blank
the {part} has expired
the {part} crashes
the {part} keeps loading
the {part} rejects my card
the {part} goes nowhere
the {part} never opens
the {part} sends me in circles
""",
}

NOUNS = {  # after a label, "Problem: cracked lid"
    "use": """
[broken|loose|jammed] {part}
faulty {part}
{part} came loose
*no power at all
{part} stuck
*[strange|loud|grinding] noise from the {part}
{part} not working
worn-out {part}
*smell of burning near the {part}
{part} keeps slipping
""",
    "state": """
[cracked|scratched|dented] {part}
missing {part}
{part} missing
wrong size delivered
bent {part}
stain on the {part}
wrong colour
[deep|long] scratch across the {part}
damaged {part}
{part} snapped in transit
""",
    "lost": """
not delivered
no delivery after {days} days
parcel lost
still not here after {days} days
nothing received in {days} days
""",
    "digital": """
error on the {part}
charged twice
{part} not loading
no access since the last update
{part} blank
""",
}

# What may follow a fault in use, by the form of its verb.
AFTER_PRESENT = """
whenever I use <it|them>
as soon as I touch <it|them>
most of the time
in the middle of the night
every {days} minutes
at the worst moments
every single [time|morning|evening]
for no obvious reason
when I least expect it
all the time
if I leave <it|them> alone for {days} minutes
day and night
almost every day
at least once a day
after {days} minutes
on [Mondays|cold mornings|warm days]
the moment I look away
each time my [sister|brother|flatmate] comes near
before I even begin
more and more often
"""
AFTER_PAST = """
after {days} days
after {days} weeks
after the first use
after barely {days} hours
on the very first day
within {days} days
after only {days} uses
again
during the first week
right after I unpacked <it|them>
on the second try
in less than {days} weeks
straight away
overnight
last [Monday|Tuesday|Friday|Sunday]
in the middle of the day
on the third morning
while I was watching
in front of my guests
the day before yesterday
"""
AFTER_NEGATIVE = """
at all
no matter what I try
any more
whatever I do
straight out of the box
half the time
for the first {days} minutes
on some days
when I need <it|them>
even after {days} attempts
"""
AFTER_DIGITAL = """
on my phone
every {days} days
on all my devices
after {days} minutes
whenever I open it
on every browser
each time I travel
at night
as soon as I sign in
all the time
"""
