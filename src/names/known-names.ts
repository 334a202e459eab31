/**
 * Names that many people bear, one spelling each: given names and surnames of politicians of all countries, of Nigerian office-holders and of the
 * sandbox's people. M, F: a given name of men, of women. 2, 3: common, borne by millions. Written by `bench/aml/known-names.ts`.
 */
export const KNOWN_NAMES = `
aadan aadu aageM aare aaron aaseF aasland abad abakar abalaka abatchaM abba2 abbagana abbas2 abbullahi abd abdallah2 abdelaziz abdelhalim abdellah
abdellahi abdellatif abderrahmane abdi abdillahi abdoulaye2 abdu2 abdukadir abdukareem abdulM3 abdulakdir abdulazees abdulaziz2 abdulfatai abdulfattah
abdulganiyuM abdulhakeemM abdulkader abdulkadir2 abdulkadri abdulkarem abdulkarim2 abdullah3 abdullahiM2 abdullateefM abdulmalek abdulmalikM
abdulmohsen abdulmumin abdulmuminu abdulqudir abdulrahaman abdulraheem abdulrahimi abdulrahman2 abdulrahmon abdulraman abdulrauf abdulrazaq
abdulsalamM2 abdulsalami abdulsobur abdulwahab abdurahman abdurraheem abdurraman abdusalam abduwa abel2 abi abiante abidin abidoye abimbolaF abimikuM
abinye abiodunM abioye abok abolarin aboubaker aboud abrahamM2 abrahams abubaka abubakarM2 abubakari abubakr abuh abul abumere aceves achema achida
achidi achika achillefs achimuguM achinike achir achmad achunekang acosta acuna adaelu adaezeF adaji adalberto adamM adama2 adams adamuM3 adanneF
adaobiF adavizeM adbullahi adda adebanjo adebimpeF adeboroye adebunmi adebusola adedibu adedoyin adefiranye adegbile adegbuyi adegoke adeizaM adejohM
adejoro adejumo adejuwa adekoya adekunleM adel adelegbe adeleke adelugba adem ademola2 ademoye ademuyiwa aden adenikeF adeniran adeniyiM adeogun
adeola adeoye aderonkeF adesanmi adesanya adesewaF adesina adetounF adetoyi adetunjiM adetunmbi adewaleM adewinle adewumi adeyemi adeyeye adeyinka
adigun adikumo adil adinoyi adirulahi adnan adolfo adolphe adoum adoza adrian2 adriana adriano adrien aduda advocate aebischer afamefunaM afe afeikhe
afolabi aforka afuye afzal agada agah agaibe agajan agba agbaje agbatse agbe agbedi agber agbidyeh agboM agbodike agbolade agbonikaM agborM agboworin
agbro agege aghedo agim agnes2 agom agostinhoM agov aguilar2 aguirre agunbiade agustin agyekum aharonM ahiakwo ahmadM3 ahmadu ahmat ahmedM3 ahmeti
aida aimee airhiavbere aisha2 aishat aishatu2 aiyamenkhue ajanah ajao ajay ajayi2 aji ajibola2 ajidua ajilesoro ajiya ajumaF akaahan akan akande akani
akbar akeemM2 akeredolu akesson akiga akila akindele akinfolarin akinolaM akinremi akinribido akinrogunde akinruntan akinsanya akintola akintomide
akintunde akinyelure akinyemi akira akoso akote akpama akpan akpanusoh akpobasa akpoveta akram akselM akter akunne akute akwaji akwe alabi alaereF
alagbaoso alainM2 alajagusi alaku alam2 alanM2 alani alarape alasdairM alassane alastair albana albasu albertM2 albertina albertoM3 albrecht alcides
alechenu alejandra alejandroM2 aleksandar aleksandra aleksandrov aleksiev aleksieva aleman alesM alessandro alessia alexM2 alexanderM2 alexandre
alexandros2 alexandrova alexandru alexe alexis alfa alfaqih alfaro alfonsoM alfredM2 alfredo2 alhaj alhassan2 aliM3 alice alicia aliero alimatF
alimikkhena aline aliosman alioune aliyuM3 alkali alkasim allah allanazar allison allister allu allumagaM alma alois alonso2 aloyce alozie alphonse
alphonsine alsadeq altine alto alun alvarado alvarez2 alvaro alves ama amad amadeu amadiM2 amado amadou2 amaewhule amakaF amakiri amalia amanda
amanmyradowna amar amarachi ambali ambarura ambursa amedee ameen amehM2 ameir amenzeF america ami amilcar aminaF2 aminatF aminatu amine aminu3 amir
amira amirudinn amobi amodu amosM2 amosun amougou amurudu amwe anaF3 ananda anasM anastasiaF anastasios2 anatolie anaya andersM2 andersen andi andrade
andreM3 andrea2 andreasM2 andresM2 andrewM3 andries aneke anene anestis angbazo angelM3 angelaF angeles angelica angelina angelo angelos angelov
angusM anh anibal aniceto anidi aniefiokM aniekanM2 aniemaF anietie anitaF ann2 anneF3 annelie anni annikaF anthonyM2 antoine antonM2 antonia antonin
antonino antonioM3 antoniou antonov anukam anum anwar anyanwu anyogo aondoakaaM aondokaa aondonaM aoun apiafi apine apostolos2 appolinaire araF
araceli arambula araujo arben archibong2 archie arenas ariM2 arias2 aribasoye ariel arif ariffin arild arinze aristeidis aristides aritF armandM
armandoM2 armayau armstrong arnaldo arnaudM arneM arnel arni arnoldM2 aro arowolo arpad arshad arthurM2 artoM arturo2 arubu aruotureF aryehM arzika
asaad asadu asaduzzaman asamF asaolu asariF asbjornM asen asenov asenova asghar asha ashefaM ashemi ashenanye asher ashigye ashton ashu asimina askira
asma asmauF asoro assaf assibiF assoc astridF asuku asukwo asupa atabor atamyrat atanas atanasov atanasova atangana ataqatigiit atassut atayew
athanasios3 athie athumani atiku atimF atinuke atkinson atodoM atoshi attahM2 attila aubert audu2 august auguste augustin augustineM augusto2 aurel
aurelia aurelian aurelio aurora auta auwal auyo avalos avendano averF avi avia avidimeM avigdorM avila avrahamM2 avramov avwenagha avwerosuoM awa
awaji awang2 awayiF awo awodiji awolola awoyemi axmed2 ayaF ayade ayadi ayadike ayah ayakpo ayala ayambem ayebaemiF ayebatariM ayeni ayi ayilara
ayinla ayisha ayishat aymaq ayo ayobamiF ayodeleM ayokunle ayub ayubaM2 ayukM azad azeezatF azer azeru azhar azizM2 azizah azizi azmi azubuogu azucena
azzopardi baba2 babaganaM babajide babale babalola babashehu babatundeM2 babayew babayo babou bachir bachvarova bacic back badakhshan badamasi badau
bader badi badom badru bae baesa baghlan bago bagudu bahadur2 baidu bailey baird bakar2 bakary baker bako2 bakoji bakura bal bala3 balarabe2 balarbe
balazs balkh balle balogun2 bamba bamidele2 bamisile banadzem bani bankole bapakaye baptiste bar barau barbaraF2 barbosa barclay bare bariborM baridaM
baridakaraF bariene barinaadaaM barisiM baritureF barrera barreto barrios barryM2 bartolomeo bartos baruchM basha bashir2 bashiru basil basilio basnet
basseyM2 basson batbayar battista batureM batyr baumann bautista baya bazam beatM beatriceF beatriz bechirM beck bede bee beja bekederemo bela
belgacem bell bello3 beltran benabdellah benard benedict benisheik benitez benito benjaminM2 bennyM benoitM benomar benson bento berg berge berger
berit bernadette bernal bernardM3 bernardo berntsen berry berthe besnik besongM besse betera beto bett bettyF beverly bhandari bharat bhattarai bhola
bianchi bibi bijou bila biljana bilkis bilkisu billM2 billyM bima bindawa binder binh binnan binos bintaF bintuF binyaminM biobarakuma biobeleF biodun
bipi bir bird birnin bishwakarma bismark bisong bista bjarnason bjarneM bjornM black blackman blaise blama blanca blanco blas blessingF2 blumenthal
blunt bobM2 bobbo bobby bode bodo body bogdan bogdanova bojinov bok bol bolajiM bolanleF bong bongo boniface bonnici bonny bonzena boon borg borisM
borislav borislavov borisov borkono boroffice bororo bosco boubacar bouh boukari boureima bowen boyanov boyko bozhidarova bozhilov bradley brahim2
braide branislavM branka branko breen brenda brendanM brett brianM2 briceno brigitte brittF britto brou brown2 browne bruceM brunner brunoM buba2 budi
buiM2 bujar bukarM2 bukuni bulamaM2 bulangu bularafa bulkachuwa bulusM2 bunde bunu bunza burgos busaidi bushati bustos butmaklar butu bwacha byron
byung caballero cabdi cabral cabrera caesar caetano calderon2 cali2 calistus calvin camilla camilo campbell2 campos2 canavan candido cantu cao capa
cardenas cardoso carlaF carlo carlosM3 carmen2 carmichael carmona carol carolina carolineF carr carrasco carrera carrillo carrizo carstenM caruana
carvalho cash casparM cassou castellanos castillo castro catalin catarinaF caterina catherineF2 cathyF cayo cecileF cecilia cedricM celestin celestino
celia celso cephas cervantes cesarM2 cesare chai2 chaimM chalupa cham chanM2 chandra2 chang2 chantalF chao charityF charlesM3 charlieM charlotte
chatzidimitriou chau chaudhary2 chaudhry chavez chawai chee2 chek chemetyo chen2 cheng2 cheong cherif cherveniakov cheung chew cheyo chia2 chiamaaka
chiamaka chiang chibuzorM chidi chidiebereM chidimmaF chidinma chidoka chidubem chiew chigozieM chihM chijiokeM chik chika chike chikereM chikezieM
chikwendu chima chimaroke chimenemF chin2 chinasaF chinda ching chinonsoM chinwe chinyere chiomaF chiroma chisomM chituruF chiu chiwendu choe2 choi
chojiM chol3 chollomM chon chong2 chooM2 chowdhury2 chrisM2 christensen christianM3 christianaF christianeF christiansen christie christina
christineF2 christophM christopheM2 christopherM2 christos3 chua chuan chuka chukolov chukuebuka chukuemeka chukwu2 chukwudiM chukwuebukaM
chukwuemeaka chukwuemeka chukwuka chukwuma2 chukwuyem chul chun2 chung chuwangM chye chyna ciise cilmi ciobanu cismaan cisse2 claireF clara clare
clarice clark clarke2 claude3 claudiaF claudine claudioM clementM2 clifton cliveM clment cobos coelho cohen2 coka cole colinM2 collins2 comfort
conceicao concepcion connor constance constantin conteh contreras cooper cordova coren cornelia cornelius correa corri cortes cossio costa2 couto cox
craigM crawford cristianM2 cristinaF2 cristobal cristovao crosby cross cruz2 csaba cuadra cuellar cuko cunningham curi cynthia cyprien cyratus cyrilM
daahir dabai dabo dabov dachia dachomo dachungM dada dafe dagM dah dahan dahiru2 daihiru dak dakogol dala dalatu dale daly dalyop dama dambam dambol
damianM damienM damilareM damilola damina damir danM2 danaF danailov danbaba dandada dandodo dang danganaM dangoje danielM3 daniela daniele danjuma2
danladi2 danlami dannyM daoM dapo darin dario darius darko darlington darren darroux darrylM dashamir dashi datti daud daudaM2 daudi daut davakis dave
davidM3 davidsen davies2 davila davit davou dawaki dawodu dawood day dayyabu deanM deborahF2 deceased dekor delgado2 delia delphine delyan demberel
demir deng2 denise denitsa dennisM3 deo deputada2 derekM derrick desiree desislav desmond2 detti dev devan devi2 dewar dhakal dia2 diakhate diana
dianeF dias diawara diaz2 dickson didierM diego dieng dieu dieudonne diez dige digma dijk dike dikko dimas dimitar2 dimitrios3 dimitrov3 dimitrova2
dimka dimosthenis dimov dinesh dinglok dinh2 diomande dionysios diop diouf dipak dipl diri dissanayake djadi djafarou djibrine djoddi dniel dodds
dogan dogara dogo doguwa doh dok doka dokubo doloresF domenico domingo domingos dominguez dominic dominique donaldM2 donato donchev dong donnelly
dooseF dor dora dorawal doris dorji dorothy dosara doudou doug douglasM2 douma doumbia dovM dozie dra dragan dragomir driss drs2 duarte duc dukku
dukova dukpa dumitru dumle dumnamen duncan dunem dungM2 duong durai duran durhan duri durmus durojaiye duru durum dusanM dusu duval dyako dyegh ebanM
ebaye ebebi ebele ebiM ebiereF ebije ebikaboweiM ebiniM ebipade ebo ebri ebuga ebukaM echendu echezonaM edache edafe edamisan eddine edem edetM edgar2
edgardo ediM edim edison edithF edmond edmund edmundoM edoardo edoh edoror eduardoM2 edun edwardM3 edwin eeroM efa efe efemenaM efeturiF effiongM2 efi
efosaM egbeM2 egbo egil egwim egwu egwuda egwuronu ehie ehisM ehudM einarM ejehM ejekwu ejem ejembi ejiga ejiofor ejiowhor ekaF ekaetteF ekeF
ekhosuehi ekiF ekom ekongM ekpe ekpenyong ekpo ekpotuayekin ekwere ekweremadu ekwunife elaigwu eleF eleftherios2 eleke elemide elena2 eleojoM eleonora
elhadji eliahuM elias2 elieM2 eliezerM elinF elisabethF elisavet elisha2 eliyev elizabethF2 ellen elliot elmi elsa elumelu elvira elyse embalo emeF
emel emem emeneka emenikeM emerson emetulu emeziem emilM emile emiliaF emilio emilov emmaF2 emmamuel emmanuelM3 emomotimi emosivwe emuesiriF emuobor
enabulele enakpoya enang encarnacion enehF enema enemaliM eneme enesiM enezeF engM2 enitan enkhbold ennis enohF enokela enow enriqueM2 enuwaF
envuladuM enyinnaya ephraim2 epse2 eremienyo ereyitomi eribo ericM3 erika eriksen erkkiM erlingM ernest ernesto ernstM erwinM escalante escobar2 ese
eseogheneM eserovweF eshilokun esiri eskoM esmail esmeralda esoheF esosaM espinosa espinoza esquivel essien essomba esteban estefan estela estherF2
estrada esua etaghene etem eteng etienne2 etim etinosa etoundi ettaM etuk etukudo eugeneM eugenia eugenioM eunice eustace eva2 evangelos2 evans2
evariste evbuomwan evdokia evelyn evgeni evgenia evgeniev evi evina ewing eyakanyi eze ezeani ezekielM ezekwe ezenta ezenwanko ezenwunne ezeoma
ezequiel ezerioha ezinwanneF ezu fabbri fabian fabioM fabiola fadil fadilaF fadipe fafi fagbemi faggo faic faisal fakeye falaah falade falake falgore
fall falmataF fammar fani fannaF farah2 faraj farhad farias farid faridaF farkas farrell farrugia farukM2 faruku fat fatai fathi fatima2 fatimat
fatime fatma fatmir fatokun fatuhu fausto fauzi favre fawekun faye fayez fazal fazle federico2 fehr felemu feliciano felipe felixM2 femiM fenech
ferdinand ferdinando fernandM fernanda fernandes fernandez2 fernandoM2 ferrer festus2 feyide fidel fierro figueroa filippo2 filippos filomena finitiri
finnM fionaF fisher flanagan flavia florence florencio flores2 florin foday fola folasade fom fon fong foni fonseca fonso foo ford forteta foteini
fotios fouad fouzia fowokannu fox fraire francesca francesco francineF francisM3 franciscoM3 francoM francoisM2 francoiseF2 frankM2 franklin franois
frantisekM2 franzM fred freddy fredericM2 fredrikM freitas friday2 friedrich fritzM2 fubara fuente fuentes fun fung funmilayoF funminiyi furukawaM
fwangje gaas gabor2 gabrielM3 gabriela2 gada gade gado gaetan gaetano gafasa gafo gagdi gagik galina galindo galle gallegos galli galtimari galya
gamaliel gamarra gambo2 gambomi gan gana gandhi ganduje ganesh ganga gani ganiyu gapyil garbaM3 garcia2 garethM garnier garo garyM garza gaston gavinM
gavriel gaya gbadamosi gbande gbarabe gbashi gbegudu gbiseh gboluga geci geedi geissbuhler gele gencM genevieveF geoffM geoffrey2 geoffry georg
george3 georgesM2 georgi2 georgiadis georgiev2 georgieva2 georgiou gerald geraldine gerardM2 gerardo gergely germain german gerry gerson gertrude
getrude gevorgyan ghazali ghaziM ghulam giadom gian giannakis giannopoulos gibeon gibson gideonM2 giftF gil gilbertM2 gilberto gille gilles gimba gina
ginikaF giorgi giorgio giovanniM2 giri giro gisela giulia giulio giuseppe gladys glenn gloriaF gloriose gobir godbless godfrey godiya godwinM2 gogo
goh golam gololo gomes2 gomez2 goncalves goniM gonzalez3 gonzalo goodnessF gopal goran goranov gordonM goro graber grace2 graciela graf grahamM2
grande grant gray grazia gregM gregorio gregory gremaM grigorios grigorov grigoryan grimstad gross guadalupe2 gubio gudie gudu guerra2 guerrero
guevara guido guilherme guillaumeM guillen guillermo gumau gunnF gunnarM2 gunnarsdottir gunnarsson gunvorF gurjiya gurung2 gustavoM2 gutierrez2 guwor
guyM guzman gwamna gwarmai gwarzo gwom gwottson gyangM gyendeng gyuse habib2 habibaF2 habibatF habibu habilaM hacohen haddad hadejia hadi hadiza
hadizat hadj hae2 hafsa hafsatF hafsatu hagen haimM hajaraF hak hakeem hakobyan hakonM haladu haldor haleem halidou halil halilu halily halima halimat
halimi haliru hamad hamadou2 hamatoukour hamdan hamdi hamed hamid2 hamidu hamilton hamisu hamman hamoud hamza2 han2 hanan hang hani hanna2 hansM3
hansen hansjorgM hanson hantsi haque haraldM harcourt harford harisu harold harouna harper harris harrisonM harryM2 hart harun hasen hashem hashim2
hashimu hasler hasnain hassanM3 hassanaF haugen hauwa hauwau hawa hawawuF haxhiu hayat hayatu hayel hazo hector2 hedin hee heidiF heinzM helenF2
helenaF heleneF helge helmut hemba hembe hen henderson heng henkM henriette henrikM henrique henryM3 her herath herbert heredia hermannM2 hernan
hernandez3 herrera herssesse hess hidalgo hideki hien hilary hill hilton him hira hiran hoa hoang hoare hocine hoffman hoi holecek holm holmberg
homunM hong2 honore hoong hope hoque horacio horia horsfall horvat hossain howardM hristo hristov2 hsin hsu huat hubertM hudu huerta hughes hugo hui2
humaid humberto hume humphrey hun hunpe hunt hurtado hussain3 hussainiM2 hutchinson huu huy huynhM hwa2 hwan hwang2 hyacinthe hye hyok hyon hyong
hyseni hyusein ianM2 iankov ibani ibarra ibeh ibekwe ibi ibida ibikunle ibinabo ibirogba ibitoye ibrahimM3 ibrahima ibraim ibukunF ibuzor ida idagbo
idahosaM idaiye idakwoM idaraF idehen idemudia idimogu idirisu ido idolor idongesit idowuM idris3 idrissa iduma idung iek iemberF ifeanyi2 ifedioranma
ifiok ifon ifunanyaF igariwey igbakpa igho ighrakpata ignacio2 igorM2 igwe2 iheonukara iheukwumere ihonvbere ihotuF ijeF ijeomaF ike ikechuku
ikechukwuM ikengboju ikennaM ikenwoke ikoro ikpe ikpeazu ikpen ikpobari ikuinyi ilemonaM ilia ilian ilias2 iliev ilieva ilir iliyasu iliyaz iloabuchi
iloh imaF imamov imaobongF immanuel imran imre indra inemoF ines influence ingaF ingadottir ingeM ingerF ingrid ingvaldM iniF innaF innocent2 inombek
inoueM inuit inuwa2 ioana ioanni ioannis3 iordan iorfaM iorhemenM iorhuna iortyer iorwuese ipalibo ippokratis iqbal iquoF irena irene irma iroanya
iroju irom ironbar irwin isaacM2 isabel2 isabelle isaias isansi isenah ishakuM ishayaM isiaka2 isidro islam2 ismaaciil ismaail ismailM3 ismaila2
isokenF israelM2 issaM3 istifanus istvan2 isyaku itaM itam itoM itohanF iurieM iva ivanM3 ivanaF ivanov2 ivanova2 ivieF ivoM ivonne iwu iwuanyanwu iya
iyobosa iyongo izegbuwaF izeze izuchukwuM jaafar jaamac jabar jabiru jacinto jackM2 jacksonM2 jaco jacobM2 jacquelineF jacquesM3 jacqui jadori jae2
jaen jagaba jaha jaimeM2 jairo jakpor jallow jalo jamal jamesM3 jamieM jamil jamilaF2 jamilat jamilu jamiuM jammeh jamna janM3 janaF2 jane janet jang
jangebe janis janos jansen jansson japaridze japhet jariM jarigbe jaromirM jaroslavM2 jatau jato jauro javed javierM2 jawa jayakumar jeanM3 jeanne
jeffM jeffery jeffrey jega jegede jemili jenkins jenniferF jennyF2 jensM jensen2 jeong jeremiahM2 jeremyM jeromeM jeronimo jerry jesse jessica jesus3
jezek jha jiba jibiya jibril jibrin jiji jika jimM2 jimenez2 jimmyM jimohM2 jin2 jingfa jiriM2 jiteF jitkaF jiyaM jkan joan2 joanaF joanne joao2
joaquim joaquin jocelyn jock joeM2 joelM2 johanM2 johanna johanne johannesM2 johannesen johnM3 johnathan johnny johnsen johnson2 jonM2 jonah jonasM
jonathanM2 jones2 jong2 joo jordan jorgeM3 jorgenM jorgensen joseM3 josee josefa josefina josep josephM3 josephine joshuaM josiah josip jovita joyce
jozefM2 juanM3 juana juarez jude judithF jugah jules juliaF julianM2 juliana julieF2 julienne julieta juliette julio2 juliusM2 juma2 jumanne jumbo jun
junaidi jung2 junid jurajM jurara jusoh jussi justinM justine juvenal kaase kabari kabir2 kabiruM3 kabua kachako kachalla kadala kader kadeta kadiev
kadri kafayatF kah kai2 kaire kaita kaka kakajanowic kalam kalango kalat kaliati kalleM kam kamal2 kamala kamara2 kamaruddin kamel kamil kanayo kandy
kaneko kanerva kang2 kangiwa kangyangF kantiok kaoje kara kardzhaliev kareM karelM karenF2 kargbo kari2 karic karim karima karinF karina2 karine
karlM2 karlsson karma karoly kasongo kassim2 kate katharine kathrinF katjaF katya katz kaufman kaura kawu kawule kawuwa kaya kayodeM kayyu kazaure
kazys keat kebbe kedikoglou kee kefas kehinde keith2 kekana keller kellyF kemi kenM2 kenebai keng kenji kenken kennedy2 kennethM2 kenny kent kente
keong kerry kesienaF ketil keun kevinM keynan khadeejah khadija2 khadijat khadim khadka khair khaled khalfan khalid2 khalif khalifa khalil khama
khamis2 khanh khatir khelifa khieu khoa khoo khoy khoza khumalo kiat kigbu kil kila kim3 kimani kimba kin kiran kircho kirifah kirilov kirilova kirk
kirstenF kirstyF kishore kit kizito kjellM klaus klein knutM kodjo kofi2 kofoworola kohler kok2 kokani koko kokou kol kola kolapo kolawole2 kolev
koleva kom komeM komolafe komsol kon konan kone kong konstantinidis konstantinos konstantinou konstantinov koon2 kore korman koroma koroye koskinen
kossi kostas kostopoulos kotoko kouadio kouakou kouassi kour koutsou kovacs kpadooF kpagane kpam kpanachi kpea kpobari kponi krasimir krasniqi krishna
kristin kristjan kristoffer kryeziu kuai kucera kudiratF kuduM kuet kufreM kuji kuk2 kuka kum kumar3 kumari2 kumboF kunini kunle kuo kurmi kurt kusada
kuti kutigi kwabena kwada kwagh kwaghe kwajiM kwame kwamoti kwan kwang2 kwari kwewum kwi kwok kwon kye kyong2 kyriakos kyung laah laahi labaranM2
ladan ladislavM lado lafiagi lahai lailaF laing lajos lake lakhdar lal2 lalla lalong lam lama lambov lamiF lamidi lamin lamine landau lang langa lange
langeland lanre laori lap lara larabaF larryM larsM2 laszlo lateef2 lateefatF lau lauraF2 laurence laurentM laurentiu lauriM lavin lawalM2 lawrence2
laxman laxmi lay layode lazar lazaros lazarov leaF lebariM leeM3 leek leghari leifM lekiaM lemieux lemine lena lene leoM leonM2 leonard leonardo
leonel leong leopoldo leroy leslie leticia leuenberger leung leutenegger levan levy lewisM leyinaF leyiraM lezorM lia liamM lian liang liborM licencia
lieberman liew lilia lilian2 liliana2 liljana lilyF limM2 lima liman2 limbu lin lina lindaF lindsay ling linggi lino linusM lip lira lisa lisbethF
lise liska listick liu livni ljiljana lloyd loc loh loi lokogoma lolo long longjan loolo lopes2 lopez3 lora lorena lorenzo lorna louiseF lourdesF lowe
lozano lubomirM lubosM lucM lucas2 lucia2 lucian luciano lucio lucy ludmilaF ludovic ludvig luisM3 luisa luiz lukaM luke lukong luljeta lumo luna lund
lupu lutfi luu luz lyberth lydiaF2 lyngstad lynne lyonpo lyons lyopF lyubenova lyubomir maaruf mabdullahi macalin macaulay macdonald machado mack
mackondo madala madari madeleine madi madrigal madu mag2 magatakarda magda magdalena maggie magne magnusM mah mahamat2 mahat mahato mahdi mahendra
mahfoud mahjabeen mahlangu mahmoudM2 mahmuda mai2 maida maidawa maigida maigona maijankai maikasuwa maimata maina2 maito maiyaki maizabu majali maje
majid majumder makama makau makeri makhdoom maki makinde2 makris makura malami malcolmM malek malik2 maliki malla mallambe malle mallon maloku malunga
mama mamadou2 mamane mamman mamodeF mamudu man2 manager manan manda mandal mane manfred maniF mankoM manniru manolova mansoor manuelM3 manukyan mar
mara marange marat marcelM marcelaF marcelino marcelo marcoM3 marcos2 marek maren margaretF2 margarida margarita margaryan marguerite mariaF3 mariamF2
mariama marianM mariana marianne mariano maricela marieF3 mariettaF marin marinaF2 marinho marinkovic marino marinov marinova marinus marioM3 marios
mariscal marisol maritF marius marjanaF markM3 marke markkuM markovic markusM2 marlene marquez marthaF2 marthe marti martinM3 martinaF martineF
martinez2 martins marvin marwan maryamu marzooq maselle mashi mason massa massimo2 massu matM2 matei matej mateus mathayo matheson mathewM2 mathews
mathiasM2 mathisen matia matilde matos mats matta mattawalle mattiM maureen mauriceM2 mauricio mauro mavoungou maxM maxamed3 maxamud maxamuud maxime
maximo mayaF2 mayo mayowa mayra maza mbah mbai mbaka mbakaan mbakerenF mballa mbongF mbula mccann mccarthy mccrea mcdonnell mcguinness mckay
mclaughlin mcleod mcloughlin medina2 medrano meer mehdi mehmed mehmet meirM2 mejia mekki mel mela melanie melendez melo memmedov memunatF menachemM
menahemM menda mendes2 mendez2 mendonca mendoza2 menegbe menegbonM menelaos meng mensah meranda mercado mercedes2 meri meriem merino meta metteF meza
mfonM mfonobongF mgbeke mgbeodiM mhamed miah mian michaelM3 michaela michaeli michal2 micheal2 michelleF miebiM miesomaF miguelM2 mihai2 mihail
mihailov mihailova mihaly mihov mijatovic mika mikaelM2 mikeM2 mikkoM mikus milanM2 milanov mildred milena miletic miller2 milosM miloslavM miloud
miltiadis milton mima mimidooF min2 mina minasyan minerva ming miohammed miranda mireille miriam miron miroslavM2 mirtchev mirwa mirza misau mitaireF
mitema mkhitaryan mladen mladenov mnenaF mngutyo mobaje mocanu mode modibbo modu modupeF mohamadou mohaman mohamedM3 mohammadM3 mohamud mohan mohdM3
mokhtar molapo molina2 molise mollah moller momah mona monday mondragon monguno monicaF2 moniqueF moniz monroy monsuruM montegriffo monteiro
montenegro montes montoya moon mora morais morales moran mordechaiM moreira morel moreno morgan morina morrison mortenM moser moses2 mosheM2 moshi
mostafa mota motzfeldt moulay mouliom mourad moyo mpigi msc mshelia msughterM muda mudashiru muftah muftauM mugu muh muhammadM3 muhammadu muhammd
muhammed2 muhd mukailaM mukasa muktar2 mulder mulikat muller mulongo muna munachim munir munoz2 muntari murai musaM3 musbah musefiu mustaph mustaphaM3
mutafchiev mutawalli mutu mutua mutumba muuse muzee mwadkwon myandasa myong2 myung mzee nabil nabila nacera naciri nada nadezhda nadia nadine nadir
nae nafisaF nafisatF naftali naidda naim naima nair najera najib nakagawa nakudu nakwada nam2 namaigora namdas name namik nanaF2 nancy nankoF naomiF2
narayan naseema nashon nasiha nasim nasir2 nasiruM nasiruddeen nasko nasos nasser2 natalia natasa nath nathalieF nathanM nava navas navratilova nawab
naydenov nazim nazrul nchiF ndakenne ndako ndam ndatse ndayizeye ndeye ndiaye ndikumana ndongo ndubuisi nduwimana nedelchev nee3 nehemiah neilM2 neli
nelson2 nenad nengi neo neratF nery nessa nestor neville newton nexhat nga ngala ngbor nghia ngo ngoc2 ngolle ngom ngoy ngoziF ngubdoF ngunanF nguyen3
nhan niazi nicholas2 nickM2 nicolasM2 niculescu nigelM niki niklasM niko nikola nikolaev nikolai3 nikolaos nikolaou nikolaus nikolov2 nikolova nikos
nilsM nilsen nilsson nimotaF nina ninova niran nishad nissimM njah nji njuguna nkasi nkechiF nkem nkemdiF nkirukaF nkole nkomo nkoro nkou nnadzwaF
nnaemekaM nnajiofor nnamdi nnanga nnemde nnodumele noble noe noelM2 noemi noh noma nonsoM noor2 nora nordin noriko norma normanM nosaF nosakhareM
noureddineM novak novakova nse nsikakM ntekpere ntuiM nuateF nukaM nunez2 nuraM nureni nurlan nurudeenM nurul nvouF nwabuisi nwachuku nwachukwu nwafor
nwakaegoF nwala nwanaka nwankwo nwaobi nwawuba nwazunku nwegede nwidee nwifuru nwigbo nwogu nwokocha nwonye nwuche nwuruku nwuzi nxumalo nyamM nyampa
nyandwi nyang nyassa nyecheM nylund nyo nzinang nzomiwuM oba obadara obalum obanikoro obasa obaseki obasi obed obieze obimma obioraM obiyai obordor
oborewori oboro obradovic obrien obuzor ocampo ocheM ocheja ochigboM ochoa ocholiM ochonuM ochor oconnor oddM odebunmi odefa odege odeh odete odhiambo
odiete ododo odoma odudoh odunwa oen ofem ofer offiong offor oforji ofumelu ogagboyi ogah ogarM ogazi ogba ogbaga ogbeide ogbemudia ogbere ogbomah
ogbonda ogbonna ogbunikpa ogeh ogenyiF ogerenye oghaleM oghene oghenejobo oghenemaroF ogheneovoM oghenetegaM oghuma ogohi ogonnaya oguguo ogun
ogundeji ogundele ogundimu ogundipe ogundoyin ogunkanmi ogunkelu ogunlola ohiareM ohida ohio oikonomou oisayemoje oizaF ojeda ojerinde ojo2 ojochideF
ojodale ojomaF ojoneF ojonugwaM ojugbele okafor2 okaka okara oke okechuku okechukwuM okedoyin okereke okezie okika okimM okiye okocha okoduwa okoh
okon2 okonkwo okorie okoro okorocha okot okotie okowa okoye okpa okpanachi okpokiri okpoku okpon okponya okunbor okuyiga okwu okwudiliM okwuri olaM
oladapo oladeji oladele oladiji oladunjoye olafM olafsson olaitan olajide2 olakunle olalekanM olamide olanmaF olatunbosun olatunde olavM olawale
olawoyin olawuyi olayanju olayemi olayiwola oldrichM ole2 oleg oleyelogun olga oli olimpio oliphant olivares oliveira oliverM olivia olivier olododo
oloriegbe olory olsen2 olu olubunmi oluchiF oluchuku oluchukwu oludaisi olufemi2 oluga olugbenga olujimi olukemi olumide olumo olumuyiwa oluomo
oluremi olusegunM olushola oluwafemi oluwarotimi oluwaseunM oluwatimileyin oluwatoyin oluwole oluyinka omadefu omamogho omarM3 omari omenekeF omolafe
omoregbe omoregie omotosho omoyemwenF omurbek onabanjo onah onaiwu onanuga onche ondrejM oneal onechojoF oneill ongM2 onimisiM oniyere onmaM onobun
onoh onojaM onokpasa onomeF onor onu onuche onuigbo onuoha onuzuruike onwuaso onwudiwe onwuka onwusibe onyaoleF onyemachi onyemaechi onyewuchi opara
opeyemiM opuboM opuende opuoru orban ordia ordonez orellana orezimeF orji orkar orker orlando orozco ortega2 ortiz2 ortom orubebe osabo osagieM
osahonM osanebi osarugueF osas osazeM osborne oscarM3 osei oseni oshiomhole osho oshomah osifo osimM osinowo osman2 osmani osoba osorio ossy osuji
osullivan osunsanya osvaldoM otaigbe othman otobo otobongM ottarM ottoM2 otumala ouattara2 ouedraogo ouelo ousmane ousmanou ovidiu ovieM ovundaM owaji
owenM owoeye owolabi2 owuor owusu oyebode oyebola oyedeji oyedele oyeleke oyewo oyibo oyintonbraM oyvindM ozigi oziomaF ozoveheM ozuruigbo pabloM2
pacheco2 padilla paduka pais paiva pakM2 palM palacios pali palma palmer palo palsson pamM pandey pandu pang pantev pantoja paolo2 papa papadimitriou
papadopoulos papagiannis papanikolaou pappas paredes paris park2 parsons party parveen pascal paschal paswan pat2 patel patil patriceM patricia2
patricioM patrickM2 patrizia patsy pau paulM3 paulaF paulin paulino paulo2 paunov pavelM2 pavle pavolM payne paz pedersen pedraza pedroM3 peevski
pehin pek peller pena penchev penda pendiente pengiran penn penttiM pepe perM2 peralta pereF pereira perez2 perot perry perttiM petar2 peteM peterM3
petersen2 petkov2 petrM2 petra petras petre petrosyan petrov2 petrova2 petru petrus pettersson petya peza phalal pham2 phanM philM philemon philipM2
philippeM2 philips phiri phuoc pia piangat picardo pickering pier pierreM2 pilar pin pineda ping pini pirfa pius2 plamen poh pol pollo ponce pong
popoola popov porter portillo poul poulsen powell prakash prasad2 preciousF prem preye preyor prieto priscillaF prodhan prosser protesta protik puerto
pullah pun pwajok pwanaF qaadir2 qudusM quin quintana quiroga quispe qureshi rabe rabenirina rabiF rabiu racheal rachelF2 rachid radev radeva radhi
radimM radkova radoslav rafaelM3 rafiatF rafiq rafiuM rahabF rahamaF rahaman rahilaF2 rahim2 rahis rahman3 rahul raimoM raimundo rainer raj2 raja
rajapaksa rajesh rakiyaF ralphM ram2 ramadhan ramadhani rambi ramesh ramirez3 ramiro ramonM2 ramos2 ramsey rana randa randall randi randolph ranjeet
ransome ranta rao rasak rashid2 rashidi rasmussen ratu rauf raulM2 ravi ravindra raxman ray2 raymondM2 razak rea real rebeccaF2 reddy rees reginaF
rehman reid rein rejoiceF remigijus remigio remyM remzi renata renato rendell reneM2 rennie renzo retd reuben reuven reyes2 reza rhoda ribeiro
ricardoM2 richardM3 richards rick ridhaM ridwan rifkatuF rigobert rijah rilwanM rilwanu rim rima rincon rino rinzin rio rios rishi risto rita2 rivas
rivera2 rivero riza rizzy roa robM2 robertM3 roberta robertoM3 robertson2 robin roca rocco rocha2 roche rocio rodolfo rodrigo rodrigues2 rodriguez2
rogelio rogerM2 rogerio rogers rojas rok rolandM2 rolando rolfM romain romanM2 romeo romero romo romulo ron ronald2 ronaldo ronen ronkeF ronnieM2
roque rosaF2 rosales rosaria rosario2 rosca rose2 rosemary ross2 rossi rotta roula royM royal roza rrustemi rtd ruben2 rubio ruby rudolfM2 ruediM rui
ruiz2 rukayatF rukayya rukayyat rukkyF rukubalo rumen rumiana runka rupen rushen ruskova russellM ruthF2 ryan ryang ryong2 saa saad2 saadi saadia
saadoun sabo sabor sabri sada sadam sadat sadiatF sadipe sadiq2 sadique saeed safana safiyaF2 safiyat sagir sahabi sahu saia saida saidi saidu3 saif
saine saini sakatai sakina sakinat salah salahu salako salam salamatuF salazar2 salehM2 salem2 salgado salguero sali2 salihu2 salim2 salima salinas
salisuM2 saliu sall sallau salma salo salomao salome salomon salum salvador salvatore samM2 samad samah samaila saman samaraweera samba sambawa same
saminu samir samira sammyM sampaio sampson samsonM2 samuelM2 samvel sanaF sanchez2 sandor sandoval sandra sang2 sangodara sani3 sanjay sanjo sankara
santamaria santana santiago santos3 sanwo sanz sarahF2 saratuF sarayaF sardar sari sarki2 sarkin sarr sarwar sato satomi saud savary savisaar sayeed
schack schmid schneider schwaab scottM seamus seanM sebastian sebastiao sebastien seck see seema segundo seiji seiler sekibo sekou sele selemani
selina semilore semiuM seng senouci seok seong seppoM sergeM sergej sergioM2 sergius seri serna serra serrano sesughM setonji shabaM shabi shafie
shafiu shagali shah2 shahi shalom shamis shamsiyyaF shamsudeen shamsul shane shankar sharada sharif sharma sharon shaul shaw shehu3 shei sheila shekwo
shelly sherif sherifatF sherwin shetimma shin2 shina shinkafi shire shirin shitta shittu shlomoM shmuelM shobowale shokunle short shrestha shri3
shukuratF shyam sia siang siciid sid siddhiki siddiq siddique siderov sidi2 siew sigmundur sigridur sigurdM sigurdsson sik2 sikiratu sikiruM sil
silva3 silvana silviaF2 sim simao simba simeon2 simeonov simeonova simi simisolaF simmonds simms simoes simonM3 simona simone simons simpson simson
sindi singh2 sioka siraF sitaram siti siva sivert siyaka skelton slavchev slavov slobodan smart smith3 smt2 snezhana soares sob soberekon sobukanla
sochang socorro sofia sok sokha sokol sokolo sokolova sokpo sola solaja solberg soledad soli solomonM3 somieariF sommaruga somtochukwuM son2 song2
soniaF sonja soo sophieF soraya sorenM sorensen soria sorin soro sos sosa soto souad souleymane souleymanou soumaila sow spahiu spasov speaker
spyridon2 stamenov stanislavM2 stanley2 stanton stathis stefanM2 stefano2 stefanos stefanov2 stefanus stein steinar steiner stellaF stephaneM
stephenM3 stern steveM stevenM2 stevenson stewartM stoev stoian stoilov stoilova stone stoyanov2 stoyanova stoynev strand stuart stylianos suarez
suberuM success suk2 sulaimon sule2 suleiman3 sum sumaya sumayyaF2 sun2 sung2 sunil surajoM suresh suru surya susanF2 susanaF susanneF suswam suzana
suzukiM sveinM sveinsson sverreM svetlana svetlen swan swee sydney sylla sylvainM sylvester sylvestre sylvieF tabeM tae2 taher tahir taitai taiwo2
taiyo tajudeenM2 tajul takahiro takashi takhar takon taku talal talatuF taleb tali talpur talukder tam tama tamang tamas tambuwal tamuno tamunoemiM
tamunosakiF tamunotonyeM tan3 tanakaM tanchev tanee tang tanja tanko2 tanner tanya taofeekM tareq tarhule taribo tariq tarjaF tatiana tauershima
taufiq tavares tavo tawfik teck2 tedM teddy tegaM teh teju teli tembo temitope teneke teng tengku teo2 teodora teodoro terab terence teresaF2 terfa
terhembaM terhemenM terjeM terkaa terlumunM terna terry tersooM tertseaM teslim thach thamer thao themistoklis theocharis theodorM theodore theodoros2
theophilusM thera thi3 thien2 thierryM thomasM3 thompson thomsen thorM2 thordarson thu thun thuong tia tiborM tiggi tijaniM2 tijjaniM2 tikiri timM2
timiF timileyin timoM timoteo timothy2 tinaF ting tinubu tiong tito titus tiwalola tjongarero tobias tobun toby tochi todorov2 todorova todorovic
tofowomo toh toha tok tokhi toledo tolu tolulopeM toluwani tomM2 toma tomide tomislav tommy ton tong2 tonini tonyM2 tonye topalli tope torbjornM
torgeirM torhukerhijo torkuma tornubariF torreM torres torrez torsteinM toru toshkova toure2 tove towase tran2 traore2 trejo trevor trinhM trondM
trong trujillo trung truong trygveM tsai tsentse tshuma tsu tsur tsvetanova tsvetomir tsvyatkov tuan tukur tulfugut tulio tuncher tundeM tung tunga
tutu tyem tyoden tyough tytti tzonev uba2 ubankato ubongM ubosi uche2 uchechukwu uchendu uchenna uddin2 udeh udemadu udemeM udo2 udoba udofa udofia
udogri udoyor ufotM ugabi ugas ugbedeF ugboma ugiagbe ugochiF ugochukwuM ujah ujuF ukavwe uko ukpong ulame ullaF uloko ulrichM uma umar3 umaruM
umberto umbugala umeoduagu umeoji umoh umoke umoru unekwuF ung unyimeF urbina urennaF uriM uribe uroye ursM ursulaF useni usman3 usoro usulor utazi
uthman utibeF utuk uvieF uviejitobor uwadiae uwaifo uwaji uyiM uzochukwuM uzodinma uzoma2 uzor uzosike vaai vaclavM valchev valdes valen valencia
valentin2 valentina2 valenzuela valeri2 valgerdur valkov valladares valle2 vandi vanessa vangjel varela varga vargas2 vasco vasil vasile vasileios3
vasileiou vasilev2 vasileva vasilika vasquez vatsa vaz vazquez veena vega2 vela velarde velasco velasquez velazquez velchev velichkov velkov vembe
vera vergara veronica2 veronique verri veselin veselinov vesna vicenteM2 viche victorM3 victoriaF2 vidal vieiraF viet vigdis vijay vijithaM villa
villalobos villanueva villar villatoro vincentM2 vincenzo2 vinh vinicio vinod virgilio virginia vital vittoria vivian vladimirM2 vladimirov vladislav
vlastaF vlastimilM vlcek voke volen vukovic vytautas vyzas waayorF wadood wafa wah wahab2 waheedM wai2 wais wakil wakili wali walker wallace wallok
walterM2 wamakko wambai wan2 wandooF wang wangchuk wangdi wani ward warrenM wash washington wasiu watts waweru wayneM webster wee weli wells wen
wencheF wendy werinipre wernerM2 wesley white whomrouho wifa wilfred will willem williamM3 williams2 willieM2 wilson2 wing winnie winston wisdom wodi
wokoma wolfgang won2 wongM2 wooF2 wood woods wouterM wright wudil xaashi xasan xavier xenofon ximenaF xuan xuseen2 yaakovM2 yabagi yabo yadav2 yaganaF
yagba yahayaM3 yahuza yahya2 yairM yajiwa yakakaF yakub2 yakubu3 yakudima yalleman yam yamel yanaki yandev yanev yang yanga yannick yao yapak yaro
yaryase yasmina yasuhiro yasushi yauri yavor yaw yaya yee yeh yehudaM yekini yemisi yenM2 yeo yeop yerima yero yew yigalM yin ying yinka yipmong
yitzhakM2 ymer yohananM yolande yon yonana yong3 yoo yoram yordanov2 yordanova yorka yosefM yoshio yoshitaka younes young2 yousef yuguda yun2 yunusa2
yusif yusoff yusufM3 yusufu yvesM2 yvetteF zabainawa zabbey zabul zachariahM zacharias zadok zaharadeen zahir zahraF zahradeen zaid zailani zain
zainabF2 zainabu zainal zainuddin zakari zakariya2 zakariyau zaki zaku zalihaF zalmanM zambrano zanetti zankhai zannaM zaraF zavoli zdenekM zdravko
zeca zeevM zelaya zeljko zepeda zhekaba zhelev ziad zidonM ziegler zimtim zira zisis zita zlatko zohra zondol zoran zorigt zoubi zubeir zulaihatF
zulaikhaF zulkifli zulu zurab zuzanaF zviM
`;
