/**
 * Each line is one name, in spellings that differ by more than a few letters. The table only brings spellings together: a name in it need not be common, and two
 * names in it need not be two people's. Written from general knowledge.
 */
export const FURTHER_SPELLINGS = `
abubakar abubakr aboubakr boubakeur boubaker boubekeur boubakr
sayyid sayyed sayed seyed syed seyyed sayid seyid seyit
rida reza ridha riza redha
fadl fazl fazal fadhl
fadil fadhil fazil fazel fadel fadhel
ramadan ramazan ramzan ramadhan ramdane ramazon ramadhani
kadhim kazem kazim kadhem kadim kadhum
murtada murtaza morteza mortaza mortada murtadha mourtada
qadi qazi kazi kadi cadi
khidr khizr khudr khedr khider khidhr hizir
diya zia dia dhia ziya ziaa
nadhir nazir
mundhir munzir monzer munther mondher
hafidh hafiz hafez hafid
hudhayfa huzaifa hudayfa houdhaifa huzayfa hodaifa
dhulfiqar zulfiqar zulfikar zolfaghar zulfugar zulfikor
muadh moaz muaz moadh mouadh
faysal faisal feisal faycal faical feysal faysel
ayyub ayub ayoub ayyoub ayoob eyup eyub
yaqub yakub yaqoob yakoub yaghoub yagoub yaacoub yakup
ghulam gholam golam qolam gulam ghulom
asghar asgar azghar
qasim qasem qassem qassim kasim kassim kassem gasim gassim ghasem kacem cassim
baqir baqer bagher baghir bagir bakir
sadiq sadeq sadegh sadek sadik sadic sadigh
tawfiq tawfik toufik taoufik tevfik tofik tofiq tewfik towfiq toufiq
rafiq rafik rafigh rafeeq refik
shafiq shafik chafik shafeeq
ishaq eshaq eshagh ishak ishaaq iskhak
razzaq razak razzak razaq razagh
mahdi mehdi mahdy mehdy
zayd zaid zeid zied zeyd
zayn zain zein zeyn
nur noor nour nuur
ayman aymen aiman eymen
anwar anouar enver anvar
tahir taher tahar
yunus younes younis yunis younus junus yonis yunes
yahya yahia yehia yahiya yaya yehya yakhya
zakariya zakaria zakariyya zakarya zekeriya zakariyah
dawud daoud dawood daud davud dawod dovud
jibril gibril djibril jebril jabril cebrail gebril
salih saleh salikh saalax
muhsin mohsen mohsin mohcine mouhcine muhsen
mujahid mojahed mujahed moudjahid
mujtaba mojtaba mudjtaba
maruf maarouf marouf
najm nadjm nejm necm
nizam nezam nizom
qays qais kais
rauf raouf raof
sabir saber sabeur
saif sayf seif seyf
shaban chaabane shaaban chaban shabon
shawkat choukat shavkat sevket shaukat
sufyan sofiane soufiane sufian sofyan sefiane
tayyib taieb tayeb taib tayyeb tayib
uday oudai odai udai odey
wahid ouahid vahid waheed vohid
wasim ouassim vasim
yasir yasser yacer yaser
zahra zohra zahraa zuhra
ziyad ziad zyad ziyod
jafar jaafar djaafar djafar gafar cafer jafer jaffar dzhafar jaffir
hashim hashem hachem xaashim
jamil djamil cemil gamil jamiil
kamal kemal kamol
najib nadjib naguib neguib necip nagib najeeb
fawzi faouzi fauzi fevzi fawzy fouzi
fadlallah fazlullah fadlullah fazlollah fadlalla
nasrallah nasrullah nasrollah nasralla
habibullah habibollah habiballah
lutfi lotfi loutfi lutfy
hatim hatem khatim
jalil djalil calil galil
aziz azeez azis
basit baset bassit
samad samed somad
majid madjid majeed mecit magid
hamdi hamdy
sharaf charaf sheraf
thabit sabit tabit thabet
abdi cabdi
ubayd obaid obeid ubaid oubeid
farah faarax farax
salah salax
nawfal nofal naufal noufel nawfel
rayyan rayan rayane raian
mishal meshal mishaal
iyad ayad iyaad eyad ayyad
imad emad imed imaad
isam essam issam esam
izzat ezzat izzet
alexei aleksei alexey aleksey aliaksei oleksii oleksiy alyaksey aleksej alexej oleksij
anatoly anatolii anatol anatoliy anatoli anatolij
valery valeriy valerii valeri valerij valeryi
vitaly vitali vitaliy vitalii vital vitalij
gennady hennadii gennadiy gennadii henadz henadzi hennadiy genadi gennadi
stanislav stanislau stanislaw
vladislav uladzislau vladyslav wladyslaw
vyacheslav viachaslau viacheslav vjaceslav wiaczeslaw vyachaslau
yaroslav yaraslau iaroslav jaroslav jaroslaw
sviatoslav svyatoslav sviataslau
rostislav rostyslav rastsislau
denis dzianis denys dzyanis
artem artsiom artyom artiom
kirill kiryl kyrylo kiril
nikita mykyta mikita
boris borys barys
arseny arsen arseniy arsenii
ruslan rouslan
semyon semen siamion semion
yefim efim yukhym
valentin valiantsin valentyn
olga volha olha
ekaterina katsiaryna kateryna yekaterina
lyudmila liudmila ludmila liudmyla ludmyla
svetlana sviatlana svitlana
marina maryna
irina iryna
galina halina halyna
oksana aksana
larisa larysa
nadezhda nadzeya nadiia nadezda nadiya
lyubov liubov lubov
kulthum kalthoum kalsoum kulsum kalthum kolthoum kulsoom
hijazi hegazy hejazi higazi hedjazi
ziauddin ziyauddin diauddin diyauddin ziaeddin diaeddine ziaaddin dhiauddin
numan nouman noaman naaman noman
luqman lokman lukman loqman
sanusi senoussi sanoussi snoussi
zahir zaher dhahir zaheer
zubayda zoubida zobeida zubaida
haytham haitham haythem haitem
bilal belal bilel
karim kareem kerim karem
rahim raheem rehim
salim saleem selim salem
nadim nadeem nedim
adil adel adeel
amir ameer emir caamir
amin ameen emin
anis anees enis
asad assad esad asaad
badr bader bedr badar
fahd fahad fahed
faris fares
fathi fethi fathy
fuad fouad fuat foad
ghassan gassan
habib habeeb hebib
hakim hakeem hekim
hamid hameed
haydar haider heidar heydar hayder khaydar geydar
hazim hazem
hilal helal
humam homam
husam hossam hussam houssam hosam
ihab ehab iheb
ihsan ehsan ihsen
inas enas
islam eslam
jabir jaber djaber gaber
jasim jassim jassem jasem gassim
jihad jehad djihad cihad
junayd junaid jonaid cuneyt djounaid
khalaf khelaf
khalifa khalifah khelifa
khalil halil khaleel khelil
latif lateef letif
layla leila laila leyla
mahir maher
mazin mazen mazine
misbah mesbah
muhannad mohanad mohannad
mumin moumin momen moomen
munir mounir monir muneer
munif mounif
musab mosab mousab
muslim moslem mouslim
mutaz moataz mutazz moutaz
nabil nabeel nebil
nadir nader
naji nagi nadji
najwa nagwa nadjwa
nazih nazeh
nuh nooh noah nouh
nuri noori nouri
qadir kader kadir ghader
qutb kotb kutb
qutayba kutaiba qutaiba
rabih rabeh
raid raed
ramzi remzi ramzy
rasul rasool rasoul resul
sad saad
sami samy
samir sameer semir
shadi chadi shady
shihab chihab shehab
shuayb shuaib shoaib chouaib suayip
siraj seraj siradj sirac
suhayb suhaib souhaib sohaib
suhayl suhail souheil sohail soheil
talib taleb
tamim tameem temim
turki torki
umayr omair umair
usayd osaid
wael wail
wajdi wagdi ouajdi
wajih wagih wadjih
yamin yameen
yazid yezid yazeed
zaki zeki zaky
zaydan zidane zeidan zidan
hajjaj haggag hadjadj
juma gomaa djemaa jumaa
abdulkarim abdelkrim
abdulqadir abdelkader abdikadir cabdiqaadir abdiqadir
abdulrahman abdirahman cabdiraxmaan abdiraxman abderrahmane
abdulrashid abdirashid cabdirashiid
abdulsalam abdisalan cabdisalaam abdessalem
abdulaziz abdiaziz cabdicasiis abdelaziz
abdulwali abdiwali cabdiwali
abdulhakim abdihakim cabdixakiin
abdulmajid abdimajid abdelmajid
abdulfattah abdifatah cabdifataax abdelfattah
abdulnasir abdinasir cabdinaasir abdennacer
abdulnur abdinur cabdinuur abdennour
ilmi elmi cilmi
jama jaamac djama
musa muuse
awil cawil
awad cawad
igal egal cigaal
halima xalimo halimo xaliimo
hawa xaawo hawo xawo
asha caasho asho
hirsi xirsi
haji xaaji
gedi geedi
guled guuleed
liban liibaan
ismail ismaaciil
ibrahim ibraahin ibraahim
dualeh ducaale duale
moalim macallin moallim maalim
said siciid saciid
mohamud maxamuud
kaltuma kaltuun kultun
huseynov guseinov guseynov huseinov gusejnov
hasanov gasanov khasanov
ibrahimov ibragimov
hajiyev gadzhiev haciyev gadjiev hadzhiev khadzhiev
ahmadov akhmedov ehmedov ahmedov
guliyev kuliev quliyev gulyev
rahimov ragimov rakhimov
rahmanov ragmanov rakhmanov
javadov dzhavadov cavadov
jafarov dzhafarov ceferov djafarov cafarov
heydarov geidarov gaidarov khaidarov
hashimov gashimov hesimov khashimov
jabrayilov dzhabrailov cebrayilov
isgandarov iskenderov iskandarov
rzayev rzaev
shukurov shukyurov sukurov
vugar vuqar
vagif vaqif
ilgar ilqar
natig natiq
namig namiq
jeyhun ceyhun dzheikhun dzheyhun
javid dzhavid javed
jamila cemile dzhamilya djamila
sherzod sherzad
farrukh farruh farukh
khurshid hurshid xurshid
khushvaqt hushvakt
jahongir jahangir dzhakhongir cihangir
jamshid dzhamshed jamshed
bahodir bakhodir bahadur bahadir
bakhtiyar bahtiyor baxtiyor bahtiyar
shukhrat shuhrat shukrat shuxrat
otabek atabek
ulugbek ulughbek
nodir nadir
akhmadjon ahmadjon axmadjon
khojiev hojiev xojiyev
xavier javier
ximena jimena
jimenez gimenez ximenez
mejia mexia
sanchez sanches
gonzalez gonzales
rodriguez rodrigues
fernandez fernandes
hernandez hernandes
lopez lopes
gomez gomes
perez peres
martinez martines
ramirez ramires
suarez soares suares
alvarez alvares
dominguez domingues domingez
vazquez vasquez vasques
velasquez velazquez
chavez chaves
valdez valdes
etxeberria echeverria etcheverry echevarria
goikoetxea goicoechea
ibarra ybarra
iglesias yglesias
smith smyth
clark clarke
read reid reed
brown browne
thompson thomson tompson
macdonald mcdonald
maclean mclean
philips phillips
stevens stephens
davies davis
allan allen alan
mueller muller moeller
mayer meier maier meyer meyr
schmidt schmitt schmid
hoffmann hofmann
kuyper kuiper cuyper
janssen jansen janssens
petersen pedersen peterson
christensen kristensen
hadjipanayiotou chatzipanagiotou
hadjigeorgiou chatzigeorgiou
hadjichristou chatzichristou
amakiri amachree
mammadov mamedov memmedov mammedov
tidiane tijan tidjane tijane tijani tidjani tijjani tigani
diallo jallow jalloh djallo
ndiaye njie njai ndiaie
diop jobe
toure touray ture
cisse ceesay sesay sise
camara kamara
conte konte conteh konteh
sylla silla
gueye gaye
mbaye mbye
diouf joof
dieng jeng
niang nyang
diatta jatta
drame darame
coulibaly kulubali koulibaly kulibaly
ouattara wattara watara
ouedraogo wedraogo
kouyate kuyateh kouyateh
sissoko sissoho cissokho
haq haqq haque huq hoque hak
`;
