/**
 * What people are called for short, in several languages. The first word of a line is short for each of the others. These names need not be common, and two of
 * them need not be two people's. Written from general knowledge; what Nigerians use most is in `names/variants.ts`.
 */
export const DIMINUTIVES = `
abe abraham abebe
al albert alan alfred
alf alfred
andy andrew
archie archibald
art arthur
barney barnabas bernard
barry bartholomew
bart bartholomew
bernie bernard
bert albert herbert robert hubert
bertie albert herbert
brad bradley
cal calvin
cam cameron
charlie charles
chuck charles
clem clement clementine
cliff clifford
clint clinton
con cornelius
curt curtis
cy cyril cyrus
danny daniel
del derek
dermot diarmuid
dickie richard
dolly dorothy dolores
dot dorothy
doug douglas
drew andrew
ernie ernest
flo florence
fran frances francis
frankie frank francis frances
gene eugene
geoff geoffrey
gerry gerald gerard
gil gilbert
ginny virginia
gus augustus augustine gustav gustavo auguste gustave konstantinos
hal harold henry
hank henry
hattie harriet
herb herbert
ike isaac ikechukwu ikenna ikemefuna
iz isaac isabel
izzy isaac isabel isidore
jake jacob
jamie james
jerry gerald gerard jeremy jeremiah jerome
jess jessica jesse
jill gillian
jimmy james
jo joanna josephine joachim johannes joseph georges
jock john
josie josephine
judy judith
ken kenneth kenny
kit christopher katherine
larry lawrence
lena helena magdalena madalena elena
len leonard
lenny leonard
lettie letitia
lew lewis llewellyn
lisa elizabeth
lizzie elizabeth
lottie charlotte
madge margaret
mandy amanda
matty matthew martha matilda
maud matilda
max maximilian maxwell
meg margaret
mel melvin melanie
mick michael
mickey michael
millie mildred emily millicent
minnie wilhelmina
mitch mitchell
molly mary
mona monica
monty montgomery montague
mort mortimer
nan anne nancy
nancy anne
nat nathan nathaniel nathalie
ned edward edmund
nell helen eleanor
nellie helen eleanor
netty annette henrietta jeanette
nora eleanor honora
norm norman
olly oliver
ollie oliver
pam pamela
pat patrick patricia
paddy patrick
patsy patrick patricia
patty patricia martha
peg margaret
penny penelope
pete peter
polly mary
prue prudence
randy randolph randall
ray raymond
reg reginald
rich richard
rita margarita
rod roderick rodney
rolly roland
ron ronald
ronnie ronald veronica
rosie rose rosemary
rudy rudolph
russ russell
sally sarah
sandy alexander alexandra sandra
sid sidney siddharth siddhartha
sol solomon
stan stanley stanislav
stella estella
stew stewart
sue susan susanna
susie susan susanna
tess theresa
tessa theresa
tilly matilda
tina christina martina cristina ernestina concettina
toby tobias
trish patricia
trixie beatrice
trudy gertrude
val valerie valentine
vin vincent
vinnie vincent
viv vivian
wally walter
walt walter
wat walter
wes wesley
will william
willie william
winnie winifred
woody woodrow
zach zachary
zack zachary
eamon edmund
liam william
sean john
seamus james
padraig patrick
maire mary
eoin john owen
ruairi roderick rory
donal daniel donald
tadhg timothy thaddeus
aoife eva
brid bridget
cathal charles
niall neil
conor cornelius
iain john
hamish james
alasdair alexander
ewan owen
fionnuala nuala
iago james santiago
dai david
sion john
sian jane
llew llewellyn
beto alberto roberto humberto norberto gilberto
betito roberto alberto
berto alberto roberto humberto
bicho luis
cachita caridad
cande candelaria
caro carolina
catita catalina
cayo leocadio
chago santiago
chabela isabel
chayo rosario
chelo consuelo
chema jose
chepe jose
cheo jose
chicho narciso
chico francisco
chito jesus
chole soledad
cholo isidro
chon encarnacion asuncion
chona encarnacion asuncion
chucho jesus
chus jesus maria
chuy jesus
cielo maricielo
concha concepcion
conchita concepcion
cuco refugio
curro francisco
dani daniel daniela
dora dorotea teodora isidora
edu eduardo
fede federico
fer fernando fernanda
fito adolfo rodolfo
foncho alfonso
gabi gabriel gabriela gabriele gabor gabriella
gabo gabriel
gera gerardo
goyo gregorio
guille guillermo
jandro alejandro
javi javier
joaco joaquin
jose josefo
juancho juan
juanita juana
kike enrique
lalo eduardo gonzalo
lola dolores omolola damilola
lolita dolores
loli dolores
loles dolores
lucho luis
lucha luz lucia
luisito luis
lupe guadalupe
lupita guadalupe
mabel isabel
mague margarita
malena magdalena
mane manuel
manolo manuel
manny manuel
manu manuel manuela emmanuel
maite teresa
marga margarita
maruja maria
maricarmen carmen
maru maria
mela carmela
memo guillermo mehmet
menchu carmen
mercha mercedes
merche mercedes
meche mercedes
miguelito miguel
mili milagros
mincho fermin benjamin
moncho ramon
nacho ignacio
nando fernando hernando ferdinando
nato renato
neto ernesto
nico nicolas nicola domenico
nina antonina giovannina
nena elena
pablito pablo
paca francisca
paco francisco
pacho francisco
pancho francisco
paquita francisca
paquito francisco
pepa josefa josefina josef
pepe jose
pepita josefa josefina
pepito jose
perico pedro
pili pilar
pilarica pilar
pipe felipe
polo leopoldo apolinar
poncho alfonso ildefonso
quique enrique
rafa rafael rafaela
ramoncito ramon
richi ricardo
rober roberto
rosita rosa
rulo raul
santi santiago
sergito sergio
sole soledad
susi susana susanne
tato gustavo
tavo gustavo octavio
teo teodoro mateo
tere teresa
teresita teresa
tico alberto
tin agustin martin valentin
tito alberto ernesto roberto
tomasito tomas
tona antonia
tono antonio anton
toni antonio anton antoine ante antoaneta oluwatoni
trini trinidad
vero veronica
vicho vicente
yeyo aurelio
yola yolanda
zule zulema
inaki ignacio
inigo ignacio
kepa pedro
patxi francisco
koldo luis
joseba jose
jon juan
mikel miguel
andoni antonio
gorka jorge
xabier javier francisco
begona begonia
jordi jorge
joan juan
josep jose
pep josep jose
pere pedro perekeme peremobowei pereotubo
miquel miguel
lluis luis
carles carlos
francesc francisco
cesc francesc francisco
enric enrique
xavi xavier javier
ferran fernando
jaume jaime
guillem guillermo
esteve esteban
vicenc vicente
llorenc lorenzo
marti martin
pau pablo
montse montserrat
mireia maria
xoan juan
xose jose
xurxo jorge
brais blas
paulo pablo
uxia eugenia
antia antonia
sabela isabel
ze jose
zeca jose
zezinho jose
juca jose
chiquinho francisco
quim joaquim
dudu eduardo
guto augusto gustavo
gugu gustavo
tonho antonio
toninho antonio
toze antonio
tiago santiago
duda eduarda dusan dusanka
bia beatriz
carol carolina
cida aparecida
dede andre
fafa fatima
juju juliana julien
leninha helena
lulu luis lucia lucien lucienne
malu maria
mariazinha maria
nonato raimundo
pedrinho pedro
ro rosa rodrigo
rui rodrigo
tati tatiana
tete teresa
xande alexandre
xico francisco
zico francisco
luisinho luis
beppe giuseppe
peppe giuseppe
peppino giuseppe
pino giuseppe
pinuccio giuseppe
geppo giuseppe
bepi giuseppe
gigi luigi ghislaine gheorghe george
gino luigi
luigino luigi
gianni giovanni
nino giovanni antonino
giannino giovanni
nanni giovanni
toto salvatore antonio
turi salvatore
salvo salvatore
tore salvatore
totuccio salvatore
ciccio francesco
cecco francesco
checco francesco
franco francesco
franca francesca
enzo vincenzo lorenzo
cenzo vincenzo
vince vincenzo
renzo lorenzo
mimmo domenico
mimi domenico michel michele
memmo guglielmo domenico
menico domenico
dino bernardino corrado
tonino antonio
nuccio antonio
nello antonello
sandro alessandro aleksandre
sandra alessandra
lele gabriele raffaele emanuele
lello raffaele
fele raffaele
pippo filippo giuseppe
lippo filippo
rico enrico federico
righetto enrico
chicco enrico federico
dado edoardo damir davor
beppina giuseppina
pina giuseppina
pinuccia giuseppina
giusy giuseppina
lina carolina angelina
lella raffaella
mariuccia maria
mena oghenemena efemena
rina caterina
rosetta rosa
rosina rosa
titta battista
masino tommaso
maso tommaso
meo bartolomeo
bortolo bartolomeo
lapo jacopo
mino guglielmo giacomo
momo girolamo maurice mohamed
poldo leopoldo
stefanino stefano
uccio carluccio
berti albert hubert
bastian sebastian
basti sebastian
beppo josef
bernd bernhard
dieter dietrich
dirk dietrich diederik
drees andreas
ede eduard edewor
edi eduard edidiong
ferdi ferdinand
fiete friedrich
franzi franziska
franzl franz
friedel friedrich frieda
friedl friedrich
fritz friedrich
fritzi friederike
gerd gerhard
gert gerhard gerard
gitte brigitte
gitti brigitte
grete margarete
gretchen margarete
greta margareta margarete
gundi gunther kunigunde
gusti august auguste
hajo hansjoachim hans
hannes johannes
hans johannes
hansi hans johann
hasi hartmut
heiner heinrich
heinz heinrich
heidi adelheid heidemarie
heini heinrich
helmi wilhelmine helmut
henner heinrich
hias matthias
hinnerk heinrich
ilse elisabeth
inge ingeborg ingrid
jan johannes
jens johannes
jockel jakob joachim
jochen joachim
jogi joachim
jorg georg
jurgen georg
jupp josef
kaspar caspar
kathe katharina
kathi katharina
kai kaspar
kalle karl kaarle
karlheinz karl
klaus nikolaus
konni konrad
kuddel kurt
kunz konrad
kurt konrad
leni magdalene helene
lenz lorenz
liesel elisabeth
liesl elisabeth
lise elisabeth
lotte charlotte
lutz ludwig
marlene magdalena
martl martin
matz matthias
mecki mechthild
michel michael
michi michael
mitzi maria
nele cornelia nenad
niko nikolaus nikoloz
olli oliver olavi
otti ottilie otto
pitt peter
poldi leopold
resi theresia
reni renate irene
rolf rudolf
rosi rosa rosemarie
rudi rudolf
ruedi rudolf
sepp josef
seppl josef
sigi siegfried sigmund
sissi elisabeth
steffi stefanie
stoffel christoph
theo theodor theodoor matthias theodorus
thilo dietrich
till dietrich
traudl gertraud
trudi gertrud
ulli ulrich ulrike
uli ulrich ulrike
urs ursus
utz ulrich
uschi ursula
uwe udo
vroni veronika
wastl sebastian
willi wilhelm
wolf wolfgang
wolfi wolfgang
xaver franz
bas sebastiaan bastiaan
bram abraham
cees cornelis
kees cornelis
cor cornelis
daan daniel
dolf adolf rudolf
ed eduard
evert everhard
frans franciscus
frits frederik
gerrit gerard
gijs gijsbert
guus augustus gustaaf
hannie johanna
hein hendrik
henk hendrik
jaap jacob jakob
jeroen hieronymus
joep jozef
joop johannes
joost justus
joris gregorius georgius
jos jozef josephus
kobus jacobus
koos jacobus
klaas nicolaas
leen leendert leonard
lex alexander
lien carolien
maarten martinus
mies maria
miep maria
nel petronella cornelia
niek nicolaas
nol arnold
piet pieter petrus
pim willem
rein reinier
rien marinus
riet margriet maria
rik hendrik frederik
ruud rudolf
sander alexander
sjaak jacques jacob
sjef jozef
sjoerd siegfried
stef stefan
stijn augustijn constantijn
teun antonius
thijs matthijs matthias
tijs matthijs matthias
tinus martinus
toon antoon antonius
ton antonius
truus geertruida
wim willem
wout wouter
willy willem
bebert albert robert
bob robert
charlot charles
didi didier
dom dominique
domi dominique
fanny stephanie francoise
fred frederic alfred
fredo alfred
gaby gabrielle
gege gerard
guy guillaume
jacky jacques
jacquot jacques
jeannot jean
jef joseph
jojo joseph georges
kiki christian kristijan
lili elisabeth alice
loulou louis
margot marguerite
mat mathieu muhammad
nanette anne
nini eugenie
nono arnaud bruno
phil philippe
pierrot pierre
riri henri
roro robert roger
seb sebastien
tintin martin augustin
titi thierry constantin titilayo titilope titilola
toinou antoine
toine antoine
vava valentin
xav xavier
zizou zinedine
bengt benedikt
bosse bo
calle carl karl
danne daniel
erik erich
fia sofia
frasse frans
gittan birgitta
gosta gustav
gurra gustav
hasse hans
hampus hans
janne jan
jocke joakim
jonte jonatan
jorgen georg
kicki kristina
kjell ketil
krille kristian kristofer
lasse lars
lars laurentius
lelle lennart
lotta charlotta
maggan margareta
majken maria
mats matthias mattias
micke mikael
nicke niklas
nils nikolaus
niels nicolai
olle olof
ole olaf
ola olof olav aleksandra
pelle per
per peter petter
putte patrik
robban robert
rasmus erasmus
sigge sigvard
soren severin
steffe stefan
svenne sven
totte torsten
uffe ulf
ville vilhelm
heikki henrik
jussi juhani johannes
juha juhani
matti matthias
mikko mikael
pekka pietari
antti andreas
jukka johannes
pentti benedikt
timo timotheus
adas adam
ala alicja alina
alek aleksander
andrzejek andrzej
antek antoni
asia joanna
basia barbara
bartek bartlomiej bartosz
bolek boleslaw
bogus bogdan boguslaw
bozenka bozena
czesiek czeslaw
darek dariusz
edek edward
ela elzbieta
ewka ewa
felek feliks
franek franciszek
gosia malgorzata
grzes grzegorz
grzesiek grzegorz
hania hanna anna
heniek henryk
hela helena
iwonka iwona
jacus jacek
jadzia jadwiga
jas jan
jasiek jan
janek jan
jarek jaroslaw
jedrek andrzej
jozek jozef
jola jolanta
jurek jerzy
justynka justyna
kasia katarzyna
kazik kazimierz
kazia kazimiera
krysia krystyna
krzys krzysztof
krzysiek krzysztof
kuba jakub
lech leszek
leszek lech
lodzia leokadia
lolek karol
ludka ludmila
maciek maciej
magda magdalena
malgosia malgorzata
mania maria
manka maria
mareczek marek
marysia maria
mietek mieczyslaw
mirek miroslaw miroslav
mikolajek mikolaj
olek aleksander
pawelek pawel
piotrek piotr
radek radoslaw radomir radoslav
rafalek rafal
rysiek ryszard
sebek sebastian
slawek slawomir
staszek stanislaw
stas stanislaw stanislav
stasiek stanislaw
stefek stefan
szymek szymon
szczepan stefan
tadek tadeusz
tadzio tadeusz
tomek tomasz
tolek anatol
tosia antonina
wacek waclaw
wiesiek wieslaw
wiesia wieslawa
witek witold
wicek wincenty
wladek wladyslaw
wojtek wojciech
zbyszek zbigniew
zbych zbigniew
zenek zenon
zosia zofia
zuzia zuzanna
zygus zygmunt
honza jan
jenda jan
jirka jiri
jura juraj jiri
jarda jaroslav
jara jaroslav
jozka josef jozef
jozo jozef josip
pepik josef
franta frantisek
fero frantisek
karlik karel
lada ladislav vladimir
laco ladislav
lojza alois
lojzik alois
lukasek lukas
lida ludmila lidia
majka maria
marcela marcelka
miro miroslav miroslava
misa michal michaela mihajlo mihailo
misko michal milos mihailo
ondra ondrej
palo pavol
petka petra
pista stefan istvan
slavek slavomir miroslav
standa stanislav
stano stanislav
tonda antonin
vasek vaclav
vena vaclav
venca vaclav
vlado vladimir vladislav
vojta vojtech
zdenda zdenek
zuzka zuzana
andras andris
bandi endre andras
beci bela
dodi jozsef
ferko ferenc
feri ferenc
gyuri gyorgy
gyurka gyorgy
imi imre
janko janos jan
jani janos
joska jozsef
jozsi jozsef
kata katalin
kati katalin
laci laszlo
lajcsi lajos
marci marton
maris maria
marika maria
matyi matyas
miki miklos miroslav milan
misi mihaly
miska mihaly
moni monika
pali pal
peti peter
piri piroska
pisti istvan
robi robert
sari sarolta sara
tamaska tamas
tibi tibor
vili vilmos
zoli zoltan
zsiga zsigmond
zsuzsa zsuzsanna
zsuzsi zsuzsanna
costel constantin
costica constantin
costi constantin
doru teodor
dorin teodor
fane stefan
gelu gheorghe
gheorghita gheorghe
gica gheorghe
gigel gheorghe george
ghita gheorghe
ionel ion
ionica ion
ionut ion
nelu ion
lica vasile ilie
lucica lucia
marioara maria
mitica dumitru
mitu dumitru
mircica mircea
mihaita mihai
misu mihai
neculai nicolae
nicu nicolae
nae nicolae
nita ion
petrica petru petre
puiu paul
relu aurel
sandu alexandru
sandel alexandru
stefanita stefan
tavi octavian
toader teodor
tudor teodor
vali valentin valeriu
vasilica vasile
vica victoria
bojan bozidar
boza bozidar
bane branislav branko
bata branislav
boban slobodan
boba slobodan
bora borislav
braca bratislav
branko branislav branimir
ceda cedomir
coki cedomir
daca danica
dejo dejan
djole djordje
djoka djordje
djura djuradj
dragan dragoslav dragutin
drago dragoljub dragoslav
dule dusan
dusko dusan
fico filip
gogi goran giorgi
huso husein huseyin
ibro ibrahim
ivica ivan
ivo ivan
jasko jasmin
jaca jasmina jadranka
joca jovan
joco jovan
jova jovan
jovica jovan
joza josip
jole josip
laza lazar
ljuba ljubomir ljubica
ljubo ljubomir
luka lukas
mace mato
maja marija
mato matija
mica marica milica
mico milorad
mihajlo miodrag
mika mihajlo milan
mile milan miodrag milorad milenko
mima mirjana
mirko miroslav
muha muhamed
mujo mustafa muharem
neno nenad
nesa nebojsa nenad
nesho nebojsa
pera petar
pero petar oluwapero
peca petar predrag
pedja predrag
rade radovan radomir radoslav
raca radoslav radomir
raso radoslav
rasko radoslav
rajko radivoje
ratko ratomir
sasa aleksandar aleksandra
sanja aleksandra
slavko slavoljub slavomir
sloba slobodan
slobo slobodan
srdja srdjan
stanko stanislav stanimir
stevo stevan stefan
steva stevan stefan
stipe stjepan
stipo stjepan
stjepan stefan
suljo sulejman
tale talijan
tika tihomir
tihi tihomir
toma tomislav tamara
tomo tomislav
tonci ante antun
tuta ratko
uros ura
vanja ivan ivana
vaso vasilije vasil
vasa vasilije
velja velimir veljko velibor
veso veselin
vesko veselin
vinko vincent
vlada vladimir vladislav vladan
vlatko vladimir
voja vojislav
vojo vojislav
vule vukasin
zarko zaharije
zdravko zdravka
zeljko zeljan
zika zivko zivojin
zivko zivojin
zlatko zlatan
zoki zoran
zvonko zvonimir
zvone zvonimir
bobi boris borislav
bore boris borislav
bojo bojidar
danko yordan
dancho yordan
dimo dimitar
mitko dimitar
mito dimitar
ditko dimitar
genko evgeni
gancho georgi
gosho georgi
goshe georgi
ilko iliya
itso hristo
itzo hristo
hristo christos
iva ivana
kiro kiril
kolyo nikola nikolay
koljo nikola
kosta konstantin
kosyo konstantin
koce konstantin
krasi krasimir
lyubo lyubomir
ljupco ljubomir
mancho emanuil
mariyka maria
misho mihail mikheil
nasko atanas
nace atanas
naum naumce
niki nikolay
pencho petko petar
pesho petar
petko petar
petyo petar
plamencho plamen
rumi rumyana
radko radoslav
sashko aleksandar oleksandr
sasho aleksandar
sando aleksandar
simo simeon
slavcho stanislav
stancho stanislav
stoyan stoycho
tosho todor
toshko todor
trajce trajko
vancho ivan
vanyo ivan
vasko vasil
zhoro georgi
alyosha alexei
alesha alexei
alyona elena
alena elena
andryusha andrei
antosha anton
anya anna
anyuta anna
asya anastasia
nastya anastasia
nastia anastasia
borya boris
dasha daria
darya daria
dima dmitri
mitya dmitri
dimon dmitri
edik eduard
fedya fyodor
fyodor feodor
gena gennady
gosha georgi igor
grisha grigori
gulya gulnara
ilyusha ilya
ira irina
katya ekaterina
katia ekaterina kateryna
katyusha ekaterina
kesha innokenti
kirya kirill
klava klavdia
kolya nikolai
kolia nikolai mykola
kostya konstantin
kostia konstantin
ksenia oksana
ksyusha ksenia oksana
lenya leonid
lyonya leonid
lera valeria
lesha alexei
lyosha alexei
leva lev
lyova lev
lilya lilia
liza elizaveta
luda lyudmila
lyuda lyudmila
luba lyubov
lyuba lyubov
makar makari
manya maria
masha maria
maksim maxim
marik mark
misha mikhail
mishanya mikhail
mityai dmitri
mila lyudmila
motya matvei
nadya nadezhda
nadia nadezhda
natasha natalia
nata natalia
nikolasha nikolai
nyura anna
olya olga
olia olga
oksana ksenia
pasha pavel
petya pyotr
polya polina
polina apollinaria
roma roman
rusik ruslan
sanya alexander
sania alexander
sasha alexander alexandra
sanka alexander
sava savva
senya semyon arseny
serezha sergei
seryozha sergei
seryoga sergei
shura alexander alexandra
shurik alexander
slava vyacheslav svyatoslav yaroslav stanislav vladislav rostislav
sonya sofia
sonia sofia
stepa stepan
stiopa stepan
sveta svetlana
tanya tatiana
tania tatiana
tima timofei timur
timosha timofei
tolya anatoly
tolia anatoly
tolik anatoly
tonya antonina
ulya ulyana
vadik vadim
valera valery
valya valentina valentin
vanya ivan
vania ivan
varya varvara
vasya vasily
vasia vasily
vika viktoria
vitya viktor vitaly
vitia viktor
vitalik vitaly
vlad vladislav vladimir
volodya vladimir
volodia vladimir
vova vladimir
vovka vladimir
yana ioanna
yasha yakov
yulya yulia
yura yuri
yurik yuri
zhenya yevgeny yevgenia
zhenia yevgeny yevgenia
zhora georgi
zina zinaida
zoya zoia
andriyko andriy
bohdanko bohdan
danylko danylo
dmytryk dmytro
halya halyna
hrysha hryhoriy
ivas ivan
ivanko ivan
kateryna katrya
lesyk oles oleksandr
les oles oleksandr
lesia oleksandra
levko lev
marusia maria
marusya maria
mykhas mykhailo
mykolka mykola
oles oleksandr
olenka olena
orysia iryna
pavlyk pavlo
petryk petro
petrus petro
romko roman
stepanko stepan
taraska taras
vasylko vasyl
yurko yuri
zenyk zenoviy
zmicier dmitri
zmitser dmitri
zmiter dmitri
dzmicier dmitri
alies aliaksandr
ales aliaksandr
hryshka ryhor
ianka ivan
yanka ivan
jauhien yauhen
kastus kanstantsin
maksimka maksim
mikola mikalai
pilip philip
rygor ryhor
siarhej siarhei
symon semyon
vasil vasily
vintsuk vincent
yazep joseph
yurka yuri
giannis ioannis
yannis ioannis
yiannis ioannis
giorgos georgios
yorgos georgios
yiorgos georgios
kostas konstantinos
kostis konstantinos
dinos konstantinos
ntinos konstantinos
dimitris dimitrios
mimis dimitrios
takis panagiotis dimitrios
panos panagiotis
panagis panagiotis
notis panagiotis
nikos nikolaos
nikolas nikolaos
vassilis vasileios
vasilis vasileios
billy vasileios
spyros spyridon
pipis spyridon
thanasis athanasios
thanos athanasios
sakis athanasios
nasos athanasios
thodoris theodoros
theodoris theodoros
manolis emmanouil
manos emmanouil
lefteris eleftherios
babis charalambos
haris charalambos
lambis charalambos
tasos anastasios
tassos anastasios
stelios stylianos
stathis efstathios
stratos efstratios
stratis efstratios
pantelis panteleimon
makis gerasimos prodromos
mihalis michail
michalis michail
antonis antonios
apostolis apostolos
tolis apostolos
aris aristotelis aristidis
alekos alexandros
alexis alexios
argyris argyrios
grigoris grigorios
leonidas leon
loukas lucas
pavlos paul
petros peter
savvas sabbas
sotiris sotirios
themis themistoklis
vangelis evangelos
evangelis evangelos
katerina aikaterini
katina aikaterini
eleni helen
lenio eleni
gianna ioanna
maro maria maryam
roula stavroula
voula paraskevi
litsa evangelia
tula evangelia
toula fotoula
vasso vasiliki
vicky vasiliki vikram vikas
zoi zoe
abdo abdelrahman abdullah
abboud abdullah
hamada muhammad ahmad
hammoudi muhammad
hamoudi muhammad
hamo muhammad
mido ahmad muhammad
hamudi muhammad
zizo abdulaziz
azouz abdulaziz
fattouma fatima
zanouba zainab
bakari abubakar abubakari
habu abubakar
garba abubakar
audu abdullahi
ado adamu
alu aliyu
iro ibrahim
ilu iliyasu
isyaku ishaq
isiaka ishaq
ishaku ishaq
lawal auwal
mamman muhammad
mudi mahmud
jibo jibril jibrin
jibrin jibril
dauda dawud
hamisu khamis
laminu alamin
muazu muadh
muntari mukhtar
nura nuruddin
samaila ismaila
yau yahaya
zakari zakariya
balki bilkisu
balkisu bilkisu
dije khadija
dija khadija
fati fatima fatemeh
hajara hajaratu
indo hindatu
ladi ladidi
maimuna maimunatu
mairo maryam
rabi rabiatu
rakiya ruqayya
safiya safiyanu
saratu sarah
tine altine
falmata fatima
modu muhammad
bukar abubakar
kashim qasim
bosun olatubosun
tubosun olatubosun
bode olabode
bunmi olubunmi oluwabunmi
bukunmi oluwabukunmi
deji adedeji ayodeji oladeji
dapo oladapo adedapo
dipo oladipo oladipupo adedipo
dipupo oladipupo
depo oladepo
diran oladiran
dimeji oladimeji
dotun adedotun oladotun
doyin adedoyin
dupe modupe oluwadupe
ebun oluwaebun
fela olufela
femi olufemi oluwafemi babafemi adefemi
fola folarin
folu oluwafolu
foluke folukemi
fisayo oluwafisayo
fiyin fiyinfoluwa
funso olufunso
funsho olufunsho
funke olufunke oluwafunke
gboyega adegboyega olugboyega
goke adegoke
gbemi oluwagbemi
gbemiga oluwagbemiga
gbolahan olagbolahan
iyabo iyabode
jimi olujimi
jare oluwajare
joju oluwajoju
juwon oluwajuwon olajuwon
kayode olukayode
kenny kehinde
kemi oluwakemi adekemi folukemi
keji morenikeji
korede oluwakorede
lara omolara
lade olalade
layo olalayo adelayo
leke olaleke
labi afolabi
lawunmi omolawunmi
lere olalere
mayowa oluwamayowa olumayowa
muyiwa olumuyiwa oluwamuyiwa
nifemi oluwanifemi
niran olaniran
niyi olaniyi adeniyi
niyan olaniyan
peju adepeju
pelumi oluwapelumi
pemi oluwapemi
remi aderemi oluremi olaremi
rewa oluwarewa
ronke aderonke
sanmi oluwasanmi
segun olusegun oluwasegun
seun oluwaseun oluseun
seyi oluwaseyi olaseyi adeseyi
shina olushina
shola olusola olushola adeshola
sola olusola oluwasola adesola omosola
simi similoluwa
siji olasiji
soji olusoji adesoji
supo olasupo
sunkanmi olasunkanmi
tayo omotayo olutayo adetayo temitayo
taye taiwo
tise oluwatise
tobi oluwatobi oluwatobiloba
tobiloba oluwatobiloba
toke adetoke adetokunbo
tokunbo adetokunbo olatokunbo
toks tokunbo
tola adetola omotola oluwatola
tosin oluwatosin
toyin oluwatoyin olutoyin adetoyin
toyosi oluwatoyosi
wande olawande yewande
wumi olawumi adewumi
wunmi olawunmi
wura wuraola
yele ayoyele
yinka olayinka adeyinka oluyinka
yiwola oluyiwola
yomi abayomi
rasidi rasheed
lati lateef
lamidi hamid
lasisi aziz
mufu mufutau
muri muritala
mudashiru mudathir
mukaila mikail
ramota rahmat
risikat rizqat
sekinat sakina
taofeek tawfiq
yekini yaqin
yinusa yunus
afam afamefuna
amara amarachi amarachukwu
anayo anayochukwu
arinze arinzechukwu
azu azubuike azuka
buchi onyebuchi
chichi chioma chinyere chidinma
chika chikaodili
chima chimaobi
chinwe chinwendu chinwenwa
chinelo chinelochukwu
chinenye chinenyechukwu
chisom chisomaga
chuka chukwuka chukwuemeka
chuks chukwuma chukwuemeka chukwudi chukwuka
chukwudi chukwudiebere
chukwuma chukwumaobi
diora diorachukwu
dubem chidubem
ebele ebelechukwu
ebere chidiebere eberechukwu
ekene ekenedilichukwu chukwuekene
emma emmanuel
gozie chigozie
ifeanyi ifeanyichukwu
iyke ikechukwu ikenna
ikem ikemefuna
izu izuchukwu
jide jideofor
jideofor jideoforchukwu
kaima kaimarachi
kachi onyekachi
kambi kambili
lotanna lotannachukwu
lota lotanna
maduka madukaego
mmeso mmesoma
munachi munachiso
ndidi ndidiamaka
nduka ndukaego
nkechi nkechinyere
nkem nkemakonam nkemdirim nkemjika
nkiru nkiruka
nkoli nkolika
nnamdi nnamdichukwu
nonye chinonye nonyelum
nonso chukwunonso chinonso
nwachi nwachinemere
nwando nwandoba
obi obinna obiora obioma obichukwu obiajulu obiefuna
obum obumneme
odi odinaka odinakachukwu
odera oderachukwu
ogbonna ogbonnaya
okey okechukwu
okwudili okwudilichukwu
olisa olisaemeka
onyedika onyedikachi
sochi sochima
somto somtochukwu
tobe tobechukwu
uche uchenna
udo udochukwu udoka
udoka udokamma
uju ujunwa obianuju
uzo uzoma uzochukwu uzoamaka
vivi vivian
zimuzo chizimuzo
zoba chizoba
avwe avwerosuo
efe efetobore efemuaye efeoghene
efetobo efetobore
ejiro oghenejiro ejiroghene
fejiro oghenefejiro
karo oghenekaro karapet
kevwe oghenekevwe
kome oghenekome
ochuko oghenochuko
ogaga oghenogaga
oghenero oghenerobo
onome onomeoghene
ovie ovieoghene
rukevwe oghenerukevwe
rukky rukevwe
tejiri oghenetejiri
tega oghenetega
tobore oghenetobore efetobore
vwede oghenevwede
yoma oghenyoma
ufuoma ufuomaoghene
timeyin oritsetimeyin
toritse toritseju
tosan oritsetosan
tsola tsolaye
weyinmi oritseweyinmi
mofe oritsemofe
nosa nosakhare
nowa osanowa
odion odionmwan
ogie ogiemwonyi
osamudia osamudiamen
osaretin osaretinmwen
osaro osarodion osarogie osaronmwen
osas osasere osasuyi osasumwen osasenaga
osasu osasumwen osasuyi
osato osatohanmwen
osayi osayimwen
uyi uyiosa
abasi abasiama
akan akaninyene akanabasi akanimo
aniekan aniekanabasi
anie aniekan anietie
anietie anietieabasi
ediomo ediomoabasi
ekom ekomobong
emem ememobong ememabasi
eno enobong enoabasi
etim etimbuk
idara idaraobong idaraabasi
inem inemesit
ini iniobong iniabasi
itoro itoroabasi
kufre kufreabasi
mfon mfonobong mfonabasi
nsikak nsikakabasi
nyene nyeneabasi
otobong otobongabasi
ubong ubongabasi
udeme udemeobong
uduak uduakobong uduakabasi
ufan ufanobong
unyime unyimeabasi
unwana unwanaobong
utibe utibeabasi
uwem uwemedimo
abiye abiyegberi
ebi ebiegberi ebiere ebinabo ebikabowei ebitimi ebiowei ebrahim
timi ebitimi oyintimi tamunotimi
emi tamunoemi ayibaemi
faith faithful
nengi nengimote
oyin oyinkuro oyintonbra oyinpreye oyinmiebi
preye diepreye ebipreye oyinpreye
tari tariere tarilaate ayibatari
tonbra oyintonbra
tonye ibitonye ayibatonye sotonye
aondo aondoaver aondoakaa aondohemba
hemba aondohemba
msugh msughter
sesugh sesughter
shima dooshima
nugwa ojonugwa
chenemi ojochenemi
unekwu unekwuojo
ojima ojimaojo
enyo enyojo ojoenyo
ufedo ufedojo
taps tapiwa
kuda kudakwashe
kudzi kudzai
simba simbarashe
tino tinashe
themba thembalethu
thembi thembisile
sipho siphosethu
sbu sibusiso
sibu sibusiso
nkosi nkosinathi
nathi nkosinathi
lungi lungile lungisa
lindi lindiwe
bongi bongani bonginkosi
bonga bongani
thandi thandiwe
thando thandolwethu
buhle buhlebenkosi
mzi mziwandile mzikayise
vusi vusumuzi
tumi boitumelo
tumelo boitumelo
shiro wanjiru
shiru wanjiru
ciku wanjiku
adhis adhiambo
hamisi khamis
zuhura zuhra
fatuma fatima
asha aisha
athumani uthman
alem alemayehu alemnesh
alex alemayehu
bini biniam
bere bereket
fikre fikreselassie fikremariam
gebre gebremedhin gebremariam gebreselassie gebrehiwot gebrekidan
haile hailemariam haileselassie hailemichael
kidane kidanemariam
mulu mulugeta mulualem
tekle teklemariam teklehaimanot teklebrhan
tesfa tesfaye tesfamariam tesfamichael
tewolde tewoldemedhin
wolde woldemariam woldemichael woldegabriel
amar amaresh
modou muhammad
momodou muhammad
mamoudou mahmud
bocar abubakar
bouba abubakar
babacar abubakar
djibi djibril
doudou dawud
daouda dawud
fatou fatima
fanta fatima
ibou ibrahima
issouf youssouf
issiaka ishaq
khady khadija
kadiatou khadija
mamadi muhammad
madou mamadou
mamad mamadou mohammad
mariama maryam
nafissatou nafisa
oumy oumou
rokia ruqayya
rokhaya ruqayya
saliou salih
seydou said
sekou sheikhou
siaka ishaq
soule souleymane
souley souleymane
tidiane tijani
ghola gholamreza
gholam gholamreza gholamhossein gholamali
hossein mohammadhossein gholamhossein
kami kamran kambiz
mammad mohammad
mahdi mohammadmahdi
mehdi mohammadmehdi
mosi mostafa
reza alireza hamidreza mohammadreza gholamreza ahmadreza
sia siavash siamak
shahri shahriar
zari zahra
anvar anvarjon
jasur jasurbek
rustam rustambek
samvel samuel
hovo hovhannes
hovik hovhannes
garo garabed karapet
garnik garegin
gago gagik
gev gevorg
mkrtich mgrditch
vardan vartan
harut harutyun
poghos boghos paul
suro suren
tigran dikran
gia giorgi
gio giorgi
goga giorgi
gocha giorgi
kakha kakhaber
lado vladimer
nika nikoloz
rezo revaz
soso ioseb
temo teimuraz
temur teimuraz
vakho vakhtang
vano ivane
apo abdullah
cemo cemal
haso hasan
ibo ibrahim
ismo ismail
memet mehmet
musto mustafa
selo selahattin
sulo suleyman
fato fatma
fadime fatma
hatce hatice
raju rajesh rajendra
sanju sanjay sanjeev
vijay vijayakumar
sunny sunil
subbu subramanian
gopi gopinath gopal gopalakrishnan
gopal gopalakrishnan
venky venkatesh venkataraman
venkat venkatesh venkataraman venkateswara
bala balakrishnan balaji balasubramaniam
balu balakrishnan
ashu ashutosh
jassi jaspreet jaswinder
naren narendra
srini srinivasan srinivas
zulfi zulfiqar
digong rodrigo
kiko francisco
koko francisco
ninoy benigno
noynoy benigno
ping panfilo
dolfo rodolfo
erning ernesto
goring gregorio
isko francisco
karding ricardo
nanding fernando
peping jose
rody rodrigo rodolfo
turing arturo
mamat muhammad
din nasiruddin kamaruddin saifuddin
kamarul kamaruzaman kamarulzaman
`;
