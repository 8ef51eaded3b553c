"""What goes wrong in the owner's hands, by category; the notation is explained in problems.py.

Entries are separated by " / "; each fifth one belongs to the test set.
"""

USE = {
    "electronics": """
stopped charging / <does|do> not switch on / <keeps|keep> disconnecting from my phone
<turns|turn> off by <itself|themselves> / <makes|make> a [buzzing|crackling|high-pitched] noise
won't [turn on|pair|connect|charge] / <loses|lose> the signal / <overheats|overheat>
<freezes|freeze> / only <works|work> when plugged in / went completely dead
<shows|show> a black screen / no longer <holds|hold> a charge
<drains|drain> the battery in {days} hours / <flickers|flicker> / refused to [start|update|connect]
<gets|get> very hot near the {part} / cannot find the network
<restarts|restart> on <its|their> own / <has|have> no sound on one side / stopped responding
<beeps|beep> without stopping
""",
    "kitchen": """
<leaks|leak> from the {part} / stopped heating / <trips|trip> the fuse / <does|do> not get hot
<smells|smell> of burnt plastic / <makes|make> a grinding noise
won't [start|close|switch on|heat up] / <burns|burn> everything on one side
<has|have> rust around the {part} / cracked near the {part} / <spills|spill> water everywhere
<shakes|shake> so hard that <it walks|they walk> across the worktop / <gives|give> off smoke
<takes|take> {days} minutes to warm up / <does|do> not shut off / lost <its|their> coating
sparked at the {part} / <leaves|leave> black flakes in the food / died
<sticks|stick> at the {part}
""",
    "clothing": """
ripped at the {part} / shrank in the wash / lost <its|their> colour / came apart at the {part}
<has|have> a hole under the {part} / <bleeds|bleed> dye onto everything
<is|are> coming undone at the {part} / faded / <lets|let> water in / <itches|itch> terribly / tore
stretched out of shape / <smells|smell> of chemicals / frayed around the {part}
<is|are> far too [tight|short|wide] at the {part} / started to peel
<leaves|leave> marks on my skin / went bobbly / burst open at the {part}
<pinches|pinch> at the {part}
""",
    "furniture": """
<wobbles|wobble> / <creaks|creak> / collapsed / <leans|lean> to one side
<does|do> not stand straight / split along the {part} / <has|have> a loose {part}
<smells|smell> of paint / broke at the {part} / <sags|sag> in the middle
started to crack near the {part} / <tips|tip> forward / won't stay [upright|level|closed]
came apart / <scrapes|scrape> the floor / <is|are> peeling at the {part}
bent under the weight of a few books / lost the {part} / <rocks|rock> back and forth
<has|have> gone mouldy behind the {part}
""",
    "tools": """
<jams|jam> / stopped turning / <smokes|smoke> / <slips|slip> / lost all power / <cuts|cut> out
won't hold a charge / <vibrates|vibrate> far too much / broke at the {part}
<leaks|leak> oil from the {part} / <does|do> not lock / <overheats|overheat> / seized up
<throws|throw> sparks from the {part} / <has|have> a slack {part} / <does|do> not reach full speed
snapped / <spins|spin> the wrong way / <gets|get> stuck halfway / <rattles|rattle> around the {part}
""",
    "toys": """
stopped making sounds / fell apart / <does|do> not roll straight / broke at the {part}
<has|have> sharp edges at the {part} / <loses|lose> paint / won't stay together / <falls|fall> over
<eats|eat> batteries / came unglued at the {part} / <is|are> missing a piece
<tilts|tilt> to the left / <smells|smell> of petrol / <does|do> not light up / cracked at the {part}
<gets|get> stuck / no longer <moves|move> / split down the middle
<plays|play> the same tune over and over / <tears|tear> at the {part}
""",
    "media": """
<has|have> {days} blank pages / <is|are> falling apart at the {part} / <skips|skip>
<is|are> printed upside down / lost the {part} / <has|have> a torn {part} / <smells|smell> of damp
came loose from the {part} / <is|are> missing pages / <has|have> smudged print on the {part}
<does|do> not play / <is|are> in the wrong language / <has|have> a bent {part} / split at the {part}
<repeats|repeat> the same chapter twice / <sticks|stick> to the {part}
<is|are> full of pencil notes / curled at the edges / <has|have> water marks on the {part}
tore along the {part}
""",
    "garden": """
won't start / <leaks|leak> at the {part} / rusted / <does|do> not open fully / <stalls|stall>
broke in the wind / <bends|bend> at the {part} / <smokes|smoke> heavily / tipped over
<drips|drip> from the {part} / no longer <cuts|cut> / split at the {part} / <clogs|clog>
<has|have> a snapped {part} / <wobbles|wobble> in the slightest breeze / lost pressure
came off at the {part} / <sinks|sink> to one side / went out / <catches|catch> on the {part}
""",
    "sports": """
<loses|lose> air / <squeaks|squeak> / snapped at the {part} / <slips|slip>
<leaks|leak> around the {part} / tore at the {part} / <does|do> not stay in place
<wobbles|wobble> at the {part} / <rubs|rub> against my heel / came loose at the {part} / deflated
<clicks|click> / <has|have> a bent {part} / stopped counting / <folds|fold> up under me
<fogs|fog> up / <shows|show> the wrong speed / broke / <grinds|grind> near the {part}
<lets|let> in rain at the {part}
""",
    "household": """
<leaks|leak> / stopped working / <makes|make> a [rattling|screeching|whistling] noise / lost suction
<does|do> not heat up / <stops|stop> after {days} minutes / <gives|give> me electric shocks
<smells|smell> of burning / won't [open|drain|start|spin] / <has|have> a broken {part}
<runs|run> {days} minutes slow / <shuts|shut> down at random / <blows|blow> cold air only
fell apart / <drips|drip> onto the floor / jammed at the {part} / <hums|hum> loudly
came loose at the {part} / <goes|go> off for no reason / <has|have> come apart around the {part}
""",
    "digital": """
won't open / <does|do> not let me log in / <keeps|keep> crashing / <charges|charge> me twice a month
<shows|show> an error on the {part} / stopped syncing / was cancelled without warning
<freezes|freeze> on the {part} / <asks|ask> for a code I never got / <is|are> stuck on loading
was renewed without my consent / <logs|log> me out / never activated / <plays|play> adverts
lost all my [photos|notes|data|progress] / <says|say> my licence has expired
vanished from my account / <does|do> not download / <rejects|reject> my password
was billed at the wrong price
""",
}
