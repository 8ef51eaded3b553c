"""Fillers that the messages are made of: people, products, brands.

Each fifth entry of a list belongs to the test set, the others to training (grammar.split). "pl:" marks
plurals; what follows the heads of a category may stand before them.
"""

FIRST_NAMES = """
Aaron Abebe Abena Adaeze Adriana Agnieszka Ahmed Aiko Aisha Akira Alberto Aleksandra Alejandro Alfie Alice Alina
Amara Amelie Amina Amit Ana Anders Andrea Anika Anjali Annika Antoine Anton Arjun Arlo Astrid Ayesha Aylin
Babajide Beatriz Beatrix Benedikt Bernadette Bethany Bianca Bilal Birgit Björn Bogdan Brendan Bronwyn Bruno
Caitlin Camila Carlos Carmen Caroline Catarina Cedric Celeste Chiara Chidi Chloe Ciara Clara Claudia Colm Connor
Cosmin Cristina Dafydd Dagmar Dalia Damian Daniela Darius Dariusz Deepak Demetrius Denise Diego Dilara Dimitri
Dmitri Dolores Dominika Dorota Duncan Ebony Edith Eduardo Eilidh Ekaterina Elena Elif Elke Eloise Elsa Emeka
Emiliano Emre Enrique Erik Esme Esperanza Esther Eszter Eva Fabio Farah Fatima Felicity Felix Femi Fernanda Finn
Fiona Florian Francesca Freya Frida Gabriela Gareth Geoffrey Georgia Gerhard Gianluca Gita Giulia Goran Graciela
Greta Guillermo Gunnar Gwen Habib Hadiya Hamza Hanna Haruki Hassan Hector Heidi Helena Henrik Hiroshi Hugo
Ibrahim Ida Ifeoma Ignacio Ilse Imani Imogen Ines Ingrid Ioana Irina Isabel Ismail Ivan Jacek Jamal Jana Jasmine
Javier Jelena Jenna Jerome Joana Joao Jochen Jolanta Jonas Jorge Josefine Josephine Julian Jürgen Kaito Kamal
Karim Karolina Katarina Kaveh Kayla Keiko Kenji Khadija Kieran Kiran Klaus Kofi Krzysztof Kwame Lakshmi Lars
Latisha Laszlo Laura Leila Leonie Lerato Liam Lidia Linnea Lorenzo Louisa Luca Lucia Ludmila Luis Lukas Lwazi
Mabel Maciej Magnus Mahmoud Maite Malik Manuela Marcel Marco Margarida Mariam Marisol Marta Martin Mateo
Mathilde Maud Maya Mehmet Mei Melissa Mercedes Merve Miguel Mikael Milena Milos Minh Mira Miriam Mohammed Moira
Monique Mustafa Nadia Naomi Natasha Nathan Naveen Neha Niamh Nicolas Nikhil Nina Njeri Noor Nuria Octavia Olga
Olivier Olumide Omar Oscar Otto Pablo Padma Paloma Paolo Pascal Patrice Pavel Pedro Penelope Petra Philippa
Pierre Pilar Piotr Pooja Priya Quentin Rachel Radek Rafael Rahul Rajesh Ramona Raquel Rashid Rebecca Reiko
Renata Ricardo Rohan Rosalind Roxana Rufus Ruth Sabine Sadia Salma Samir Sandeep Sanjay Santiago Saoirse Saskia
Sebastian Selma Seung Shanice Shirin Sibusiso Siegfried Silvia Simone Sinead Siobhan Sofia Solveig Sonja Stefan
Stella Sunita Svetlana Sven Tadeusz Takumi Tamara Tanisha Tariq Tatiana Teresa Thabo Thandiwe Theo Thiago Tobias
Tomasz Tove Trevor Ulrike Umar Ursula Uwe Valentina Vasile Vera Veronika Victor Vikram Viktoria Vincent Violeta
Wanda Wei Werner Winston Wojciech Xavier Ximena Yara Yasmin Yolanda Yuki Yusuf Yvonne Zainab Zara Zeynep Zofia
Zsolt
"""

SURNAMES = """
Abara Abernathy Acheampong Achterberg Adebayo Adeyemi Agarwal Ahlström Akhtar Albrecht Alvarado Amaral Amundsen
Andrade Antonov Appiah Arslan Ashworth Avraham Aziz Baptiste Baranov Barbosa Barros Bartholomew Bauer Beaumont
Becker Bellini Benali Bergström Bertrand Bhatt Blackwood Boateng Bonnet Borges Bradshaw Brandt Brzezinski
Bukowski Byrne Calloway Campos Cardoso Carvalho Castellano Chakraborty Chaudhry Chevalier Chowdhury Christensen
Clarke Coelho Colombo Conti Coppola Correia Costa Cunningham Dahl Danso Darwish Davenport Delacroix Demir
Deshpande Dhillon Dimitrov Dlamini Dogan Donnelly Dragomir Dubois Dumitru Duarte Eastwood Edwards Ekström
Elliott Engel Eriksen Espinoza Falk Fagbenle Farrell Fernando Ferrari Fischer Fitzgerald Fontaine Forsberg
Fraser Fujita Galloway Garnier Gebre Ghosh Giordano Gomes Gonzalez Grabowski Greco Grigoryan Guerrero Gupta
Gustafsson Haddad Halvorsen Hamadi Hansson Hashimoto Hawthorne Henriksen Hernandez Hoang Hoffmann Holloway
Horvath Hossain Huang Hussain Ibarra Iglesias Ivanova Iyer Jabari Jacobsen Jankowski Jansen Jaworski Jimenez
Johansson Jovanovic Kaminski Kapoor Karlsson Katz Kavanagh Kaya Keller Khalil Kimani Kipkorir Kovacs Kowalczyk
Kozlov Kruger Kuznetsova Lachance Laghari Lamptey Larsen Laurent Lebedev Lefevre Leclerc Lindqvist Lombardi
Longfellow Lopes Lundgren Macdonald Machado Mahlangu Malhotra Mancini Marchetti Markovic Marques Martinez
Matsumoto Mbeki McAllister McCarthy McKenna Medeiros Mehta Meier Melnyk Mendoza Mensah Mikkelsen Milosevic
Mishra Mitchell Mohamud Molina Montgomery Morales Moreau Moretti Mukherjee Mutua Mwangi Nakamura Narayan Navarro
Ndlovu Nguyen Nieminen Nikolaidis Novak Nowak Nyambura Oakley Obi Ochieng Odhiambo Oduya Okafor Okonkwo Oliveira
Olsen Onyango Orlov Ortega Osei Ozturk Pacheco Pappas Parekh Pashkova Patel Pavlov Pelletier Pereira Petrova
Phiri Pietrzak Popescu Prakash Quigley Quintero Radcliffe Rahman Ramirez Rasmussen Reddy Reinholt Ribeiro
Richter Rinaldi Robinson Rocha Rosenthal Rossi Rousseau Ruiz Ryabov Saeed Salazar Samaras Sandoval Santos Sato
Schmitt Schneider Schubert Serrano Shapiro Sharma Shevchenko Silva Simmons Sithole Skovgaard Smolak Soares
Sokolov Solberg Sorensen Sousa Steiner Stewart Strand Sullivan Suzuki Svensson Szabo Takahashi Tanaka Tavares
Teixeira Tesfaye Thackeray Thompson Thorvaldsen Todorov Torres Tran Tremblay Tshabalala Uchida Usman Valente
Vance Varga Vasquez Venter Verma Vermeulen Villanueva Vogel Volkov Wagner Wallace Wanjiru Watanabe Weber Weiss
Whitaker Winther Wolff Wozniak Yamamoto Yildiz Zamora Zhang Zhou Zielinski Zimmermann Zulu
"""

BRAND_STARTS = """
Vel Ostra Lum Kar Tren Fjor Bra Zen Nor Quil Dax Mir Hol Pra Sol Tav Ulm Ver Wex Yor Alt Bel Cor Dru Eld Fen Gal
Hex Ith Jor Kel Lor Mav Nim Ovi Pel Rov Syl Tor Und Vos Wil Xan Zor Arb Bux Cly Dov
"""
BRAND_ENDS = """
mora tek line rix haus nova dale ton vane well ora ette mark field ix on ano berg wick stad io kin ley rond ium
era loft quist a aro
"""

PRODUCTS = {
    "electronics": (
        "bluetooth speaker|headset|router|laptop|tablet|keyboard|monitor|webcam|power bank|smartwatch|e-reader"
        "|microphone|projector|soundbar|graphics card|printer|scanner|baby monitor|dash cam|pl:earbuds"
        "|pl:headphones|phone charger|docking station|game controller|doorbell camera|digital radio"
        "|external hard drive|wifi extender|turntable|action camera",
        "wireless|27-inch|noise-cancelling|USB-C|portable|slim|mini|gaming|dual-band|waterproof|4K"
        "|silver|compact|13-inch|foldable",
    ),
    "kitchen": (
        "blender|kettle|toaster|coffee machine|rice cooker|stand mixer|air fryer|frying pan|espresso maker"
        "|food processor|slow cooker|waffle iron|microwave|milk frother|juicer|bread maker|hand mixer"
        "|pl:kitchen scales"
        "|pressure cooker|dishwasher|ice cream maker|induction hob|pepper mill|pl:steak knives|casserole dish"
        "|electric grill|water filter jug|popcorn machine|salad spinner|wine cooler",
        "black|stainless steel|compact|turquoise|1.7-litre|ceramic|matt grey|retro|double-wall|red|copper"
        "|cream|family-size|mini|professional",
    ),
    "clothing": (
        "rain jacket|winter coat|pl:hiking boots|pl:running shoes|wool scarf|evening dress|pl:jeans|hoodie"
        "|pl:leather gloves"
        "|cardigan|pl:sandals|denim skirt|linen shirt|backpack|handbag|belt|pl:sneakers|sun hat|pl:swimming trunks"
        "|dressing gown"
        "|pl:thermal leggings|wedding suit|polo shirt|pl:slippers|fleece vest|pl:work trousers|cashmere jumper|wallet"
        "|pl:ankle boots|pyjama set",
        "navy|size M|black|striped|waterproof|slim-fit|women's|men's|kids'|olive green|burgundy|quilted|XL|lined"
        "|size 42",
    ),
    "furniture": (
        "bookcase|office chair|coffee table|wardrobe|bed frame|sofa bed|nightstand|desk|armchair|dining table"
        "|shoe rack"
        "|TV stand|mattress|bar stool|chest of drawers|pl:bunk beds|rocking chair|standing desk|pl:dining chairs"
        "|floor lamp"
        "|bathroom cabinet|wall mirror|folding table|footstool|coat stand|desk lamp|crib|filing cabinet|garden bench"
        "|pl:wall shelves",
        "oak|walnut|white|cream|slim|vintage|pine|dark brown|grey|rattan|oversized|matt black|low|folding|black metal",
    ),
    "tools": (
        "cordless drill|circular saw|angle grinder|sander|pressure washer|step ladder|socket set|soldering iron"
        "|heat gun"
        "|workbench|spirit level|nail gun|jigsaw|paint sprayer|tool box|impact driver|laser measure|air compressor"
        "|pl:bolt cutters|multitool|wet vacuum|glue gun|torque wrench|table saw|pl:safety goggles|generator"
        "|rotary hammer"
        "|work light|tile cutter|stud finder",
        "18V|brushless|heavy-duty|710 W|compact|12V|professional|aluminium|150-piece|20-litre|rechargeable|magnetic"
        "|petrol|telescopic|industrial",
    ),
    "toys": (
        "train set|doll's house|puzzle|remote-control car|play kitchen|balance bike|board game|drone|teddy bear"
        "|robot kit"
        "|scooter|water table|pl:building blocks|marble run|toy piano|kite|trampoline|ride-on tractor|chemistry set"
        "|play tent"
        "|pl:walkie-talkies|rocking horse|slot car track|musical mobile|sandpit|craft kit|pl:magnetic tiles"
        "|toy garage"
        "|bubble machine|dinosaur egg",
        "wooden|big|painted|foldable|pocket-size|toddler's|pink|colourful|junior|classic|deluxe|six-in-one|giant"
        "|travel|beginner's",
    ),
    "media": (
        "cookbook|paperback|atlas|vinyl record|box set|sheet music|comic book|photo album|wall calendar|audiobook CD"
        "|dictionary|picture book|travel guide|blu-ray|notebook|poster|planner|colouring book|art print"
        "|pl:flash cards"
        "|hardback novel|graphic novel|song book|globe|sticker album|pl:greeting cards|textbook|magazine binder"
        "|pl:tarot cards|road map",
        "illustrated|signed|second edition|Spanish|large-print|used|limited edition|A4|Vietnamese|personalised"
        "|collector's|anniversary|bilingual|2025|pocket",
    ),
    "garden": (
        "lawn mower|hedge trimmer|garden hose|parasol|barbecue|bird feeder|greenhouse|watering can|compost bin"
        "|fire pit"
        "|wheelbarrow|leaf blower|hammock|raised bed|pl:solar lights|pond pump|pl:secateurs|patio heater|chainsaw"
        "|hose reel"
        "|garden shed|sprinkler|gazebo|pl:garden gloves|strimmer|planter|rain barrel|rake|paddling pool|pizza oven",
        "large|XL|foldable|galvanised|small|weatherproof|folding|green|professional|lightweight|red|black|extra-long"
        "|sturdy|premium",
    ),
    "sports": (
        "exercise bike|yoga mat|tent|sleeping bag|kayak|treadmill|tennis racket|bike helmet|rowing machine"
        "|pl:dumbbells"
        "|bike pump|pl:ski goggles|skateboard|football|climbing harness|swim snorkel|paddle board|fitness tracker"
        "|pl:roller skates"
        "|dartboard|golf bag|mountain bike|pl:trekking poles|basketball hoop|camping stove|pl:resistance bands"
        "|punch bag"
        "|surfboard|wetsuit|weight bench",
        "blue|carbon|compact|folding|adjustable|lightweight|junior|10 kg|pro|all-weather|orange|anti-slip|entry-level"
        "|women's|training",
    ),
    "household": (
        "vacuum cleaner|steam iron|humidifier|washing machine|air purifier|fan heater|electric blanket|alarm clock"
        "|hairdryer"
        "|electric toothbrush|robot mop|tumble dryer|suitcase|pl:bath towels|shower head|electric shaver"
        "|dehumidifier|duvet"
        "|pl:hair straighteners|wall clock|smoke alarm|pram|car seat|sewing machine|bathroom scale|cool box|umbrella"
        "|massage gun|cat fountain|pl:oven gloves",
        "white|travel|8 kg|mini|grey|digital|large|premium|lightweight|smart|quiet|700 W|dark blue|compact|white",
    ),
    "digital": (
        "music subscription|language course|photo app|antivirus licence|e-book|video subscription|cloud storage plan"
        "|meal-kit subscription|season pass|online course|news subscription|VPN subscription|fitness app|gift card"
        "|audiobook membership|website builder plan|phone contract|game download|tax software|recipe app",
        "annual|family|premium|student|monthly|pro|basic|12-month|business|digital|yearly|plus|starter|two-year"
        "|standard",
    ),
}

MODEL_CODES = """
9 99 990 L9 L99 L999 L-99 LL-9 LL99 9L 99L Pro Mini Max Plus Air Neo II III Lite One Go SE MK9 L9i 9000
"""
# For "my brother ...", "my sister ...": exceptions to the rule of thumb by ending.
MALE_IN_A = {"Gianluca", "Luca", "Akira", "Mustafa"}
NOT_MALE = {"Miriam", "Mariam", "Jan", "Elif"}
POWERED = {"electronics", "kitchen", "tools", "household"}
