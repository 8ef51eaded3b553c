"""More fillers of the messages: first names, surnames, brands and model codes, beside those in `goods/*.txt`.

Each fifth entry of a list belongs to the test set, the others to training (grammar.split).
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

MODEL_CODES = """
9 99 990 L9 L99 L999 L-99 LL-9 LL99 9L 99L Pro Mini Max Plus Air Neo II III Lite One Go SE MK9 L9i 9000
"""
# For "my brother ...", "my sister ...": exceptions to the rule of thumb by ending.
MALE_IN_A = {"Gianluca", "Luca", "Akira", "Mustafa"}
NOT_MALE = {"Miriam", "Mariam", "Jan", "Elif"}
POWERED = {"electronics", "kitchen", "tools", "household"}
