/**
 * Names that many people bear, one spelling each: given names and surnames of politicians of all countries, of Nigerian office-holders and of the
 * sandbox's people. N: Nigerian, or of Muslims there. M, F: a given name of men, of women. 2, 3: common, borne by millions. Written by `bench/aml/known-names.ts`.
 */
export const KNOWN_NAMES = `
aadan aadu aageM aare aaronN aaseF aasland abad abakar abalakaN abatchaNM abbaN2 abbaganaN abbasN2 abbullahiN abd abdallahN2 abdelaziz abdelhalim
abdellah abdellahi abdellatif abderrahmane abdi abdillahi abdoulaye2 abduN2 abdukadirN abdukareemN abdulNM3 abdulakdirN abdulazeesN abdulazizN2
abdulfataiN abdulfattahN abdulganiyuNM abdulhakeemNM abdulkaderN abdulkadirN2 abdulkadriN abdulkaremN abdulkarimN2 abdullahN3 abdullahiNM2
abdullateefNM abdulmalekN abdulmalikNM abdulmohsen abdulmuminN abdulmuminuN abdulqudirN abdulrahamanN abdulraheemN abdulrahimiN abdulrahmanN2
abdulrahmonN abdulramanN abdulraufN abdulrazaqN abdulsalamNM2 abdulsalamiN abdulsoburN abdulwahabN abdurahmanN abdurraheemN abdurramanN abdusalamN
abduwaN abelN2 abi abianteN abidin abidoyeN abimbolaNF abimikuNM abinyeN abiodunNM abioyeN abokN abolarinN aboubaker aboud abrahamM2 abrahams abubakaN
abubakarNM2 abubakariN abubakrN abuhN abul abumereN aceves achemaN achidaN achidi achikaN achillefs achimuguNM achinikeN achirN achmad achunekangN
acosta acuna adaeluN adaezeNF adajiN adalberto adamM adama2 adamsN adamuNM3 adanneNF adaobiNF adavizeNM adbullahiN addaN adebanjoN adebimpeNF
adeboroyeN adebunmiN adebusolaN adedibuN adedoyinN adefiranyeN adegbileN adegbuyiN adegokeN adeizaNM adejohNM adejoroN adejumoN adejuwaN adekoyaN
adekunleNM adel adelegbeN adelekeN adelugbaN adem ademolaN2 ademoyeN ademuyiwaN aden adenikeNF adeniranN adeniyiNM adeogunN adeolaN adeoyeN aderonkeNF
adesanmiN adesanyaN adesewaNF adesinaN adetounNF adetoyiN adetunjiNM adetunmbiN adewaleNM adewinleN adewumiN adeyemiN adeyeyeN adeyinkaN adigunN
adikumoN adil adinoyiN adirulahiN adnan adolfo adolphe adoum adozaN adrian2 adriana adriano adrien adudaN advocate aebischer afamefunaNM afeN afeikheN
afolabiN aforkaN afuyeN afzal agadaN agahN agaibeN agajan agbaN agbajeN agbatseN agbeN agbediN agberN agbidyehN agboNM agbodikeN agboladeN agbonikaNM
agborNM agboworinN agbroN agegeN aghedoN agim agnesN2 agomN agostinhoM agov aguilar2 aguirre agunbiadeN agustin agyekum aharonM ahiakwoN ahmadNM3
ahmaduN ahmat ahmedNM3 ahmeti aida aimee airhiavbereN aishaN2 aishatN aishatuN2 aiyamenkhueN ajanahN ajaoN ajay ajayiN2 ajiN ajibolaN2 ajiduaN
ajilesoroN ajiyaN ajumaNF akaahanN akanN akandeN akaniN akbar akeemNM2 akeredoluN akesson akigaN akila akindeleN akinfolarinN akinolaNM akinremiN
akinribidoN akinrogundeN akinruntanN akinsanyaN akintolaN akintomideN akintundeN akinyelureN akinyemiN akira akosoN akoteN akpamaN akpanN akpanusohN
akpobasaN akpovetaN akram akselM akter akunneN akuteN akwajiN akweN alabiN alaereNF alagbaosoN alainNM2 alajagusiN alakuN alam2 alanM2 alaniN alarapeN
alasdairM alassane alastair albana albasuN albertNM2 albertina albertoM3 albrecht alcides alechenuN alejandra alejandroM2 aleksandar aleksandra
aleksandrov aleksiev aleksieva aleman alesM alessandro alessia alexM2 alexanderM2 alexandre alexandros2 alexandrova alexandru alexe alexis alfaN
alfaqih alfaro alfonsoM alfredNM2 alfredo2 alhaj alhassanN2 aliNM3 alice alicia alieroN alimatNF alimikkhenaN aline aliosman alioune aliyuNM3 alkaliN
alkasimN allah allanazar allisonN allister alluN allumagaNM alma alois alonso2 aloyce alozieN alphonse alphonsine alsadeq altineN altoN alun alvarado
alvarez2 alvaro alves amaN amadN amadeu amadiNM2 amado amadouN2 amaewhuleN amakaNF amakiriN amalia amanda amanmyradowna amar amarachiN ambaliN
ambaruraN ambursaN amedee ameen amehNM2 ameir amenzeNF america ami amilcar aminaNF2 aminatNF aminatuN amine aminuN3 amir amira amirudinnN amobiN
amoduN amosNM2 amosunN amougou amuruduN amweN anaF3 ananda anasNM anastasiaF anastasios2 anatolie anaya andersM2 andersen andi andrade andreM3 andrea2
andreasM2 andresM2 andrewNM3 andries anekeN aneneN anestis angbazoN angelM3 angelaF angeles angelica angelina angelo angelos angelov angusM anh anibal
aniceto anidiN aniefiokNM aniekanNM2 aniemaNF anietieN anitaF annN2 anneNF3 annelie anni annikaF anthonyM2 antoine antonM2 antonia antonin antonino
antonioM3 antoniou antonov anukamN anumN anwar anyanwuN anyogoN aondoakaaNM aondokaaN aondonaNM aoun apiafiN apineN apostolos2 appolinaire araNF
araceli arambula araujo arben archibongN2 archie arenas ariM2 arias2 aribasoyeN ariel arif ariffin arild arinzeN aristeidis aristides aritNF armandM
armandoM2 armayauN armstrong arnaldo arnaudM arneM arnel arni arnoldM2 aroN arowoloN arpad arshad arthurNM2 artoM arturo2 arubuN aruotureNF aryehM
arzikaN asaad asaduN asaduzzaman asamNF asaoluN asariNF asbjornM asen asenov asenova asghar asha ashefaNM ashemiN ashenanyeN asher ashigyeN ashton
ashu asimina askiraN asma asmauNF asoroN assaf assibiNF assoc astridF asukuN asukwoN asupaN ataborN atamyrat atanas atanasov atanasova atangana
ataqatigiit atassut atayew athanasios3 athie athumani atikuN atimNF atinukeN atkinson atodoNM atoshiN attahNM2 attila aubert auduN2 august auguste
augustin augustineM augusto2 aurel aurelia aurelian aurelio aurora autaN auwalN auyoN avalos avendano averNF avi aviaN avidimeNM avigdorM avila
avrahamM2 avramov avwenaghaN avwerosuoNM awa awajiN awang2 awayiNF awoN awodijiN awololaN awoyemiN axmed2 ayaNF ayadeN ayadi ayadikeN ayahN ayakpoN
ayalaN ayambemN ayebaemiNF ayebatariNM ayeniN ayiN ayilaraN ayinlaN ayishaN ayishatN aymaq ayoN ayobamiNF ayodeleNM ayokunleN ayub ayubaNM2 ayukNM
azad azeezatNF azer azeruN azhar azizNM2 azizah azizi azmi azubuoguN azucena azzopardi babaN2 babaganaNM babajideN babaleN babalolaN babashehuN
babatundeNM2 babayew babayoN babou bachir bachvarova bacic back badakhshan badamasiN badauN bader badi badomN badruN bae baesa baghlan bagoN baguduN
bahadur2 baiduN bailey baird bakar2 bakary baker bakoN2 bakojiN bakuraN bal balaN3 balarabeN2 balarbeN balazs balkh balleN balogunN2 bamba bamideleN2
bamisileN banadzem bani bankoleN bapakayeN baptiste bar barauN barbaraF2 barbosa barclay bare bariborNM baridaNM baridakaraNF barieneN barinaadaaNM
barisiNM baritureNF barrera barreto barrios barryNM2 bartolomeo bartos baruchM basha bashirN2 bashiruN basil basilio basnet basseyNM2 basson batbayar
battista batureNM batyr baumann bautista bayaN bazamN beatM beatriceF beatriz bechirM beck bedeN bee beja bekederemoN bela belgacem bell belloN3
beltran benabdellah benard benedict benisheikN benitez benito benjaminM2 bennyM benoitM benomar bensonN bento berg berge berger berit bernadette
bernal bernardNM3 bernardo berntsen berry berthe besnik besongNM besseN beteraN beto bett bettyF beverlyN bhandari bharat bhattarai bhola bianchi bibi
bijou bila biljana bilkisN bilkisuN billM2 billyM bimaN bindawaN binder binh binnanN binosN bintaNF bintuNF binyaminM biobarakumaN biobeleNF biodunN
bipiN bir bird birninN bishwakarma bismarkN bisongN bista bjarnason bjarneM bjornM black blackman blaise blama blanca blanco blas blessingF2
blumenthal blunt bobNM2 bobboN bobby bode bodo body bogdan bogdanova bojinov bok bol bolajiNM bolanleNF bongN bongo bonifaceN bonnici bonnyN bonzenaN
boon borg borisM borislav borislavov borisov borkonoN borofficeN bororoN bosco boubacar bouh boukari boureima bowen boyanov boyko bozhidarova bozhilov
bradley brahim2 braideN branislavM branka branko breen brenda brendanM brett brianM2 briceno brigitte brittF britto brou brown2 browne bruceM brunner
brunoM bubaN2 budi buiNM2 bujar bukarNM2 bukuniN bulamaNM2 bulanguN bularafaN bulkachuwaN bulusNM2 bundeN bunuN bunzaN burgos busaidi bushati bustos
butmaklarN butuN bwachaN byron byung caballero cabdi cabral cabrera caesar caetano calderon2 cali2 calistusN calvin camilla camilo campbell2 campos2
canavan candido cantu cao capa cardenas cardoso carlaF carlo carlosM3 carmen2 carmichael carmona carol carolina carolineF carr carrasco carrera
carrillo carrizo carstenM caruana carvalho cash casparM cassou castellanos castillo castro catalin catarinaF caterina catherineF2 cathyF cayo cecileF
cecilia cedricM celestin celestino celia celso cephasN cervantes cesarM2 cesare chai2 chaimM chalupa cham chanM2 chandra2 chang2 chantalF chao
charityF charlesNM3 charlieM charlotte chatzidimitriou chau chaudhary2 chaudhry chavez chawaiN cheeN2 chek chemetyoN chen2 cheng2 cheong cherif
cherveniakov cheung chew cheyo chiaN2 chiamaakaN chiang chibuzorNM chidiN chidiebereNM chidimmaNF chidinmaN chidokaN chidubemN chiew chigozieNM chihM
chijiokeNM chik chikaN chikeN chikereNM chikezieNM chikwenduN chimaN chimarokeN chimenemNF chin2 chinasaNF chindaN ching chinonsoNM chinweN chinyereN
chiomaNF chiromaN chisomNM chituruNF chiu chiwenduN choe2 choi chojiNM chol3 chollomNM chon chong2 chooM2 chowdhury2 chrisNM2 christensen christianNM3
christianaNF christianeF christiansen christie christina christineF2 christophM christopheM2 christopherM2 christos3 chua chuan chukaN chukolov
chukuebukaN chukuemekaN chukwuN2 chukwudiNM chukwuebukaNM chukwuemeakaN chukwuemekaN chukwukaN chukwumaN2 chukwuyemN chul chun2 chung chuwangNM chye
chynaN cilmi ciobanu cismaan cisse2 claireF clara clare clarice clark clarke2 claude3 claudiaF claudine claudioM clementM2 clifton cliveM clment cobos
coelho cohen2 coka cole colinM2 collinsN2 comfort conceicao concepcion connor constance constantin conteh contreras cooper cordova coren cornelia
corneliusN correa corri cortes cossio costa2 couto cox craigM crawford cristianM2 cristinaF2 cristobal cristovao crosbyN cross cruz2 csaba cuadra
cuellar cuko cunningham curi cynthia cyprien cyratusN cyrilM daahir dabaiN daboN dabov dachiaN dachomoN dachungNM dadaN dafeN dagM dah dahan dahiruN2
daihiruN dak dakogolN dalaN dalatuN dale daly dalyopN damaN dambamN dambolN damianNM damienM damilareNM damilolaN daminaN damir danM2 danaF danailov
danbabaN dandadaN dandodoN dang danganaNM dangojeN danielM3 daniela daniele danjumaN2 danladiN2 danlamiN dannyM daoM dapoN darin dario dariusN darko
darlingtonN darren darroux darrylM dashamir dashiN dato dattiN daud daudaNM2 daudi daut davakis daveN davidM3 davidsen davies2 davila davit davouN
dawakiN dawoduN dawood day dayyabuN deanM deborahF2 deceased dekorN delgado2 delia delphine delyan demberel demir deng2 denise denitsa dennisNM3 deo
deputada2 derekM derrick desiree desislav desmondN2 dettiN dev devan devi2 dewar dhakal diaN2 diakhate diana dianeF dias diawara diaz2 dicksonN
didierM diego dieng dieu dieudonne diez digeN digmaN dijk dikeN dikkoN dimasN dimitar2 dimitrios3 dimitrov3 dimitrova2 dimkaN dimosthenis dimov dinesh
dinglokN dinh2 diomande dionysios diop diouf dipak dipl diriN dissanayake djadi djafarouN djibrine djoddi dnielN dodds dogan dogaraN dogoN doguwaN doh
dok dokaN dokuboN doloresF domenico domingo domingos dominguez dominic dominique donaldM2 donato donchev dong donnelly dooseNF dor dora dorawalN doris
dorji dorothy dosaraN doudou doug douglasNM2 douma doumbia dovM dozieN dra dragan dragomir driss drs2 duarte duc dukkuN dukova dukpa dumitru dumleN
dumnamenN duncan dunem dungNM2 duong durai duran durhan duri durmus durojaiyeN duruN durumN dusanM dusuN duval dyakoN dyeghN ebanNM ebayeN ebebiN
ebeleN ebiNM ebiereNF ebijeN ebikaboweiNM ebiniNM ebipadeN eboN ebriN ebugaN ebukaNM echenduN echezonaNM edacheN edafeN edamisanN eddine edemN edetNM
edgar2 edgardo ediM edimN edisonN edithF edmond edmund edmundoM edoardo edohN edororN eduardoM2 edunN edwardNM3 edwin eeroM efaN efeN efemenaNM
efeturiNF effiongNM2 efi efosaNM egbeNM2 egboN egil egwimN egwuN egwudaN egwuronuN ehieN ehisNM ehudM einarM ejehNM ejekwuN ejemN ejembiN ejigaN
ejioforN ejiowhorN ekaNF ekaetteNF ekeNF ekhosuehiN ekiNF ekomN ekongNM ekpeN ekpenyongN ekpoN ekpotuayekinN ekwereN ekweremaduN ekwunifeN elaigwuN
eleNF eleftherios2 elekeN elemideN elena2 eleojoNM eleonora elhadji eliahuM elias2 elieM2 eliezerM elinF elisabethNF elisavet elishaN2 eliyev
elizabethF2 ellen elliotN elmi elsa elumeluN elvira elyse embalo emeNF emel ememN emenekaN emenikeNM emerson emetuluN emeziemN emilM emile emiliaF
emilio emilov emmaNF2 emmamuelN emmanuelM3 emomotimiN emosivweN emuesiriNF emuoborN enabuleleN enakpoyaN enangN encarnacion enehNF enemaN enemaliNM
enemeN enesiNM enezeNF engM2 enitanN enkhbold ennis enohNF enokelaN enowN enriqueM2 enuwaNF envuladuNM enyinnayaN ephraimN2 epse2 eremienyoN
ereyitomiN eriboN ericNM3 erika eriksen erkkiM erlingM ernest ernesto ernstM erwinM escalante escobar2 eseN eseogheneNM eserovweNF eshilokunN esiriN
eskoM esmailN esmeralda esoheNF esosaNM espinosa espinoza esquivel essienN essomba esteban estefan estela estherF2 estrada esuaN etagheneN etem etengN
etienne2 etimN etinosaN etoundi ettaNM etukN etukudoN eugeneM eugenia eugenioM eunice eustace evaN2 evangelos2 evansN2 evariste evbuomwanN evdokia
evelyn evgeni evgenia evgeniev evi evina ewing eyakanyiN ezeN ezeaniN ezekielM ezekweN ezentaN ezenwankoN ezenwunneN ezeomaN ezequiel ezeriohaN
ezinwanneNF ezuN faarax fabbri fabian fabioM fabiola fadil fadilaNF fadipeN fafiN fagbemiN faggoN faic faisalN fakeyeN falaah faladeN falakeN falgoreN
fall falmataNF fammarN fani fannaNF farahN2 faraj farhad farias farid faridaNF farkas farrell farrugia farukNM2 farukuN fat fataiN fathiN fatimaN2
fatimatN fatime fatmaN fatmir fatokunN fatuhuN fausto fauzi favre fawekunN faye fayez fazal fazle federico2 fehr felemuN feliciano felipe felixM2
femiNM fenech ferdinand ferdinando fernandM fernanda fernandes fernandez2 fernandoM2 ferrer festusN2 feyideN fidel fierro figueroa filippo2 filippos
filomena finitiriN finnM fionaF fisher flanagan flavia florence florencio flores2 florin foday folaN folasadeN fomN fon fong foniN fonseca fonso foo
ford fortetaN foteini fotios fouad fouzia fowokannuN fox fraire francesca francesco francineF francisM3 franciscoM3 francoM francoisM2 francoiseF2
frankM2 franklin franois frantisekM2 franzM fredN freddy fredericNM2 fredrikM freitas fridayN2 friedrich fritzM2 fubaraN fuente fuentes fun fung
funmilayoNF funminiyiN furukawaM fwangjeN gaas gabor2 gabrielM3 gabriela2 gadaN gadeN gadoN gaetan gaetano gafasaN gafoN gagdiN gagik galina galindo
galleN gallegos galliN galtimariN galya gamalielN gamarra gamboN2 gambomiN gan ganaN gandhi gandujeN ganesh ganga gani ganiyuN gapyilN garbaNM3
garcia2 garethM garnier garoN garyM garza gaston gavinM gavriel gayaN gbadamosiN gbandeN gbarabeN gbashiN gbeguduN gbisehN gbolugaN geci geedi
geissbuhler geleN gencM genevieveF geoffM geoffreyN2 geoffryN georg georgeN3 georgesM2 georgi2 georgiadis georgiev2 georgieva2 georgiou gerald
geraldine gerardM2 gerardo gergely germain german gerry gerson gertrude getrude gevorgyan ghazaliN ghaziM ghulam giadomN gian giannakis giannopoulos
gibeonN gibsonN gideonNM2 giftF gil gilbertM2 gilberto gille gilles gimbaN gina ginikaNF giorgi giorgio giovanniM2 giri giro gisela giulia giulio
giuseppe gladys glenn gloriaF gloriose gobirN godblessN godfrey godiyaN godwinM2 gogoN goh golam gololoN gomes2 gomez2 goncalves goniNM gonzalez3
gonzalo goodnessF gopal goran goranov gordonM goroN graber grace2 graciela graf grahamM2 grande grant gray grazia gregM gregorio gregory gremaNM
grigorios grigorov grigoryan grimstad gross guadalupe2 gubioN gudie guduN guerra2 guerrero guevara guido guilherme guillaumeM guillen guillermo gumauN
gunnF gunnarM2 gunnarsdottir gunnarsson gunvorF gurjiyaN gurung2 gustavoM2 gutierrez2 guworN guyM guzman gwamnaN gwarmaiN gwarzoN gwomN gwottsonN
gyangNM gyendengN gyuseN habibN2 habibaNF2 habibatNF habibuN habilaNM hacohen haddad hadejiaN hadi hadizaN hadizatN hadj hae2 hafsaN hafsatNF hafsatuN
hagen haimM hajaraNF hak hakeemN hakobyan hakonM haladuN haldor haleem halidou halil haliluN halilyN halimaN halimatN halimi haliruN hamad hamadou2
hamatoukour hamdan hamdi hamedN hamid2 hamiduN hamilton hamisuN hammanN hamoud hamzaN2 han2 hanan hang hani hannaN2 hansM3 hansen hansjorgM hanson
hantsiN haque haraldM harcourtN harfordN harisuN harold harounaN harper harris harrisonM harryM2 hartN harunN hasen hashem hashim2 hashimuN hasler
hasnain hassanNM3 hassanaNF haugen hauwaN hauwauN hawaN hawawuNF haxhiu hayat hayatuN hayel hazoN hector2 hedin hee heidiF heinzM helenF2 helenaF
heleneF helge helmut hembaN hembeN hen henderson heng henkM henriette henrikM henrique henryNM3 her herath herbert heredia hermannM2 hernan hernandez3
herrera herssesse hess hidalgo hideki hien hilaryN hill hilton him hira hiran hoa hoang hoare hocine hoffman hoi holecek holm holmberg homunNM hong2
honore hoong hope hoque horacio horia horsfallN horvat hossain howardM hristo hristov2 hsin hsu huat hubertM huduN huerta hughes hugo hui2 humaid
humberto hume humphreyN hun hunpeN hunt hurtado hussainN3 hussainiNM2 hussin hutchinson huu huy huynhM hwa2 hwan hwang2 hyacinthe hye hyok hyon hyong
hyseni hyusein ianM2 iankov ibaniN ibarra ibehN ibekweN ibiN ibidaN ibikunleN ibinaboN ibirogbaN ibitoyeN ibrahimNM3 ibrahima ibraim ibukunNF ibuzorN
ida idagboN idahosaNM idaiyeN idakwoNM idaraNF idehenN idemudiaN idimoguN idirisuN idoN idolorN idongesitN idowuNM idrisN3 idrissa idumaN idungN iek
iemberNF ifeanyiN2 ifedioranmaN ifiokN ifonN ifunanyaNF igariweyN igbakpaN ighoN ighrakpataN ignacio2 igorM2 igweN2 iheonukaraN iheukwumereN
ihonvbereN ihotuNF ijeNF ijeomaNF ikeN ikechukuN ikechukwuNM ikengbojuN ikennaNM ikenwokeN ikoroN ikpeN ikpeazuN ikpenN ikpobariN ikuinyiN ilemonaNM
iliaN ilian ilias2 iliev ilieva ilir iliyasuN iliyaz iloabuchiN ilohN imaNF imamov imaobongNF immanuelN imran imre indra inemoNF ines influenceN ingaF
ingadottir ingeM ingerF ingrid ingvaldM iniNF innaNF innocentN2 inombekN inoueM inuit inuwaN2 ioana ioanni ioannis3 iordan iorfaNM iorhemenNM iorhunaN
iortyerN iorwueseN ipaliboN ippokratis iqbal iquoNF irena irene irma iroanyaN irojuN iromN ironbarN irwin isaacM2 isabel2 isabelle isaias isansiN iseN
isenahN ishakuNM ishayaNM isiakaN2 isidro islam2 ismaaciil ismaailN ismailNM3 ismailaN2 isokenNF israelNM2 issaNM3 istifanusN istvan2 isyakuN itaNM
itamN itoM itohanNF iurieM iva ivanM3 ivanaF ivanov2 ivanova2 ivieNF ivoNM ivonne iwuN iwuanyanwuN iyaN iyobosaN iyongoN izegbuwaNF izezeN izuchukwuNM
jaafar jaamac jabar jabiruN jacinto jackNM2 jacksonM2 jaco jacobM2 jacquelineF jacquesM3 jacqui jadoriN jae2 jaen jagabaN jahaN jaimeM2 jairo jakporN
jallow jaloN jamal jamesM3 jamieM jamilN jamilaNF2 jamilatN jamiluN jamiuNM jammeh jamnaN janM3 janaF2 janeN janet jang jangebeN janis janos jansen
jansson japaridze japhetN jariM jarigbeN jaromirM jaroslavM2 jatauN jatoN jauroN javed javierM2 jawaN jayakumar jeanM3 jeanne jeffM jefferyN jeffreyN
jegaN jegedeN jemiliN jenkins jenniferF jennyF2 jensM jensen2 jeong jeremiahM2 jeremyM jeromeM jeronimo jerry jesse jessica jesus3 jezek jha jibaN
jibiyaN jibrilN jibrinN jijiN jikaN jimM2 jimenez2 jimmyM jimohNM2 jin2 jingfaN jiriNM2 jiteNF jitkaF jiyaNM jkanN joan2 joanaF joanne joao2 joaquim
joaquin jocelynN jockN joeM2 joelNM2 johanM2 johanna johanne johannesM2 johannesen johnM3 johnathanN johnny johnsen johnson2 jonM2 jonahN jonasM
jonathanM2 jones2 jong2 joo jordan jorgeM3 jorgenM jorgensen joseM3 josee josefa josefina josep josephM3 josephine joshuaM josiahN josip jovitaN joyce
jozefM2 juanM3 juana juarez judeN judithF jugah jules juliaF julianM2 juliana julieF2 julienne julieta juliette julio2 juliusNM2 juma2 jumanne jumboN
jun junaidi jung2 junid jurajM juraraN jusoh jussi justinM justine juvenal kaaseN kabariN kabirN2 kabiruNM3 kabua kachakoN kachallaN kadalaN kader
kadetaN kadiev kadri kafayatNF kah kai2 kaire kaitaN kakaN kakajanowic kalam kalangoN kalatN kaliati kalleM kam kamal2 kamala kamara2 kamaruddin kamel
kamil kanayoN kandy kaneko kanerva kang2 kangiwaN kangyangNF kantiokN kaojeN kara kardzhaliev kareM karelM karenF2 kargbo kari2 karic karim karima
karinF karina2 karine karlM2 karlsson karma karoly kasongo kassimN2 kateN katharineN kathrinNF katjaF katya katz kaufman kauraN kawuN kawuleN kawuwaN
kaya kayodeNM kayyuN kazaureN kazys keat kebbeN kedikoglou kee kefasN kehindeN keith2 kekana keller kellyF kemiN kenM2 kenebaiN keng kenji kenkenN
kennedyN2 kennethNM2 kenny kent kenteN keong kerry kesienaNF ketil keun kevinM keynan khadeejahN khadijaN2 khadijatN khadim khadka khair khaled
khalfan khalidN2 khalif khalifa khalil khama khamis2 khanh khatir khelifa khieu khoa khoo khoy khoza khumalo kiat kigbuN kil kilaN kim3 kimani kimbaN
kin kiran kircho kirifahN kirilov kirilova kirk kirstenF kirstyF kishore kit kizitoN kjellM klaus klein knutM kodjo kofi2 kofoworolaN kohler kok2
kokaniN koko kokou kol kolaN kolapoN kolawoleN2 kolev koleva kom komeNM komolafeN komsolN kon konan kone kong konstantinidis konstantinos konstantinou
konstantinov koon2 koreN korman koroma koroyeN koskinen kossi kostas kostopoulos kotokoN kouadio kouakou kouassi kour koutsou kovacs kpadooNF kpaganeN
kpamN kpanachiN kpeaN kpobariN kponiN krasimir krasniqi krishna kristin kristjan kristofferN kryeziu kuai kucera kudiratNF kuduNM kuet kufreNM kujiN
kukN2 kukaN kum kumar3 kumari2 kumboNF kuniniN kunleN kuo kurmi kurt kusadaN kutiN kutigiN kwabena kwadaN kwaghN kwagheN kwajiNM kwame kwamotiN kwan
kwang2 kwariN kwewumN kwi kwok kwon kye kyong2 kyriakos kyung laahN laahi labaranNM2 ladanN ladislavM ladoN lafiagiN lahai lailaF laing lajos lake
lakhdar lal2 lalla lalongN lam lama lambov lamiNF lamidiN lamin lamine landau lang langa lange langeland lanreN laoriN lap lara larabaNF larryM larsM2
laszlo lateefN2 lateefatNF lauN lauraF2 laurence laurentM laurentiu lauriM lavin lawalNM2 lawrenceN2 laxman laxmi lay layodeN lazar lazaros lazarov
leaF lebariNM leeM3 leek leghari leifM lekiaNM lemieux lemine lena lene leoNM leonM2 leonardN leonardo leonel leong leopoldo leroy leslie leticia
leuenberger leung leutenegger levan levy lewisM leyinaNF leyiraNM lezorNM lia liamM lian liang liborM licencia lieberman liew lilia lilianN2 liliana2
liljana lilyNF limM2 lima limanN2 limbu lin lina lindaF lindsay ling linggi lino linusNM lip lira lisa lisbethF lise liska listickN liu livni ljiljana
lloyd loc loh loi lokogomaN loloN long longjanN looloN lopes2 lopez3 lora lorena lorenzo lorna louiseF lourdesF lowe lozano lubomirM lubosM lucM
lucasN2 lucia2 lucian luciano lucio lucy ludmilaF ludovic ludvig luisM3 luisa luiz lukaNM lukeN lukong luljeta lumoN luna lund lupu lutfi luu luz
lyberth lydiaNF2 lyngstad lynne lyonpo lyons lyopNF lyubenova lyubomir maarufN mabdullahiN macalin macaulayN macdonald machado mack mackondoN madala
madariN madeleine madi madrigal maduN mag2 magatakardaN magda magdalena maggie magne magnusM mah mahamat2 mahat mahato mahdi mahendra mahfoud
mahjabeen mahlangu mahmoudNM2 mahmudaN maiN2 maida maidawaN maigidaN maigonaN maijankaiN maikasuwaN maimataN mainaN2 maitoN maiyakiN maizabuN majali
majeN majid majumder makamaN makauN makeriN makhdoom maki makindeN2 makris makuraN malamiN malcolmM malek malikN2 maliki malla mallambeN malleN mallon
maloku malunga mama mamadou2 mamane mammanN mamodeNF mamuduN man2 managerN manan manda mandal mane manfred maniNF mankoNM manniruN manolova mansoor
manuelM3 manukyan mar mara marangeN marat marcelM marcelaF marcelino marcelo marcoM3 marcos2 marek marenN margaretF2 margarida margarita margaryan
marguerite mariaNF3 mariamNF2 mariamaN marianM mariana marianne mariano maricela marieF3 mariettaF marin marinaF2 marinho marinkovic marino marinov
marinova marinus marioM3 marios mariscal marisol maritF marius marjanaF markNM3 markeN markkuM markovic markusNM2 marlene marquez marthaF2 marthe
marti martinM3 martinaF martineF martinez2 martinsN marvin marwan maryamuN marzooq maselle mashiN mason massa massimo2 massuN matM2 matei matej mateus
mathayo matheson mathewM2 mathews mathiasM2 mathisen matia matilde matos mats matta mattawalleN mattiM maureen mauriceM2 mauricio mauro mavoungou maxM
maxamed3 maxamuud2 maxime maximo mayaF2 mayo mayowaN mayra maza mbahN mbai mbaka mbakaanN mbakerenNF mballa mbongNF mbulaN mccann mccarthy mccrea
mcdonnell mcguinness mckay mclaughlin mcleod mcloughlin medina2 medrano meer mehdi mehmed mehmet meirM2 mejia mekki mel melaN melanie melendez melo
memmedov memunatNF menachemM menahemM menda mendes2 mendez2 mendonca mendoza2 menegbeN menegbonNM menelaos meng mensah merandaN mercado mercedes2 meri
meriem merino meta metteF meza mfonNM mfonobongNF mgbekeN mgbeodiNM mhamed miah mian michaelM3 michaela michaeli michal2 michealN2 michelleF miebiNM
miesomaNF miguelM2 mihai2 mihail mihailov mihailova mihaly mihov mijatovic mika mikaelNM2 mikeNM2 mikkoNM mikus milanM2 milanov mildred milena miletic
miller2 milosM miloslavM miloud miltiadis milton mima mimidooNF min2 mina minasyan minerva ming miohammedN miranda mireille miriamN miron miroslavM2
mirtchev mirwaN mirza misauN mitaireNF mitemaN mkhitaryan mladen mladenov mnenaNF mngutyoN mobajeN mocanu modeN modibboN moduN modupeNF mohamadou
mohaman mohamedNM3 mohammadNM3 mohamudN mohan mohdNM3 mokhtar molapo molina2 molise mollah moller momahN mona mondayN mondragon mongunoN monicaF2
moniqueF moniz monroy monsuruNM montegriffo monteiro montenegro montes montoya moon mora morais morales moran mordechaiM moreira morel moreno morgan
morina morrison mortenM moser moses2 mosheM2 moshi mostafa mota motzfeldt moulay mouliom mourad moyo mpigiN msc msheliaN msughterNM mudaN mudashiruN
muftah muftauNM muguN muhN muhammadNM3 muhammaduN muhammdN muhammedN2 muhdN mukailaNM mukasa muktarN2 mulder mulikatN muller mulongo muna munachimN
munir munoz2 muntariN murai musaNM3 musbah musefiuN mustaphN mustaphaNM3 mutafchiev mutawalliN mutuN mutua mutumba muuse muzee mwadkwonN myandasaN
myong2 myung mzee nabil nabila nacera naciri nada nadezhda nadia nadine nadir nae nafisaNF nafisatNF naftali naiddaN naim naima nair najera najib
nakagawa nakuduN nakwadaN nam2 namaigoraN namdasN nameN namik nanaNF2 nancy nankoNF naomiNF2 narayan naseema nashonN nasihaN nasim nasirN2 nasiruNM
nasiruddeenN naskoN nasos nasser2 natalia natasa nath nathalieF nathanNM nava navas navratilova nawab naydenov nazim nazrul nchiNF ndakenneN ndakoN
ndam ndatseN ndayizeye ndeye ndiaye ndikumana ndongo ndubuisiN nduwimana nedelchev nee3 nehemiahN neilM2 neli nelson2 nenad nengiN neo neratNF nery
nessa nestor neville newton nexhat nga ngalaN ngborN nghia ngo ngoc2 ngolle ngom ngoy ngoziNF ngubdoNF ngunanNF nguyen3 nhan niazi nicholasN2 nickM2
nicolasM2 niculescu nigelM niki niklasM niko nikola nikolaev nikolai3 nikolaos nikolaou nikolaus nikolov2 nikolova nikos nilsM nilsen nilsson nimotaNF
nina ninova niranN nishad nissimM njahN nji njuguna nkasiN nkechiNF nkemN nkemdiNF nkirukaNF nkoleN nkomo nkoroN nkou nnadzwaNF nnaemekaNM nnajioforN
nnamdiN nnanga nnemde nnodumeleN nobleN noe noelM2 noemi noh noma nonsoNM noor2 nora nordin noriko norma normanM nosaNF nosakhareNM noureddineM novak
novakova nseN nsikakNM ntekpereN ntuiNM nuateNF nukaNM nunez2 nuraNM nureniN nurlan nurudeenNM nurul nvouNF nwabuisiN nwachukuN nwachukwuN nwaforN
nwakaegoNF nwalaN nwanakaN nwankwoN nwaobiN nwawubaN nwazunkuN nwegedeN nwideeN nwifuruN nwigboN nwoguN nwokochaN nwonyeN nwucheN nwurukuN nwuziN
nxumalo nyamNM nyampaN nyandwi nyang nyassa nyecheNM nylund nyo nzinangN nzomiwuNM obaN obadaraN obalumN obanikoroN obasaN obasekiN obasiN obed
obiezeN obimmaN obioraNM obiyaiN obordorN oboreworiN oboroN obradovic obrien obuzorN ocampo ocheNM ochejaN ochigboNM ochoa ocholiNM ochonuNM ochorN
oconnor oddM odebunmiN odefaN odegeN odehN odete odhiambo odieteN ododoN odomaN odudohN odunwaN oen ofemN ofer offiongN offorN oforjiN ofumeluN
ogagboyiN ogahN ogarNM ogaziN ogbaN ogbagaN ogbeideN ogbemudiaN ogbereN ogbomahN ogbondaN ogbonnaN ogbunikpaN ogehN ogenyiNF ogerenyeN oghaleNM
ogheneN oghenejoboN oghenemaroNF ogheneovoNM oghenetegaNM oghumaN ogohiN ogonnayaN oguguoN ogunN ogundejiN ogundeleN ogundimuN ogundipeN ogundoyinN
ogunkanmiN ogunkeluN ogunlolaN ohiareNM ohidaN ohioN oikonomou oisayemojeN oizaNF ojeda ojerindeN ojoN2 ojochideNF ojodaleN ojomaNF ojoneNF ojonugwaNM
ojugbeleN okaforN2 okakaN okaraN okeN okechukuN okechukwuNM okedoyinN okerekeN okezieN okikaN okimNM okiyeN okochaN okoduwaN okohN okonN2 okonkwoN
okorieN okoroN okorochaN okot okotieN okowaN okoyeN okpaN okpanachiN okpokiriN okpokuN okponN okponyaN okunborN okuyigaN okwuN okwudiliNM okwuriN olaM
oladapoN oladejiN oladeleN oladijiN oladunjoyeN olafM olafsson olaitanN olajideN2 olakunleN olalekanNM olamideN olanmaNF olatunbosunN olatundeN olavM
olawaleN olawoyinN olawuyiN olayanjuN olayemiN olayiwolaN oldrichM oleN2 oleg oleyelogunN olga oli olimpio oliphant olivares oliveira oliverM olivia
olivier olododoN oloriegbeN oloryN olsen2 oluN olubunmiN oluchiNF oluchukuN oluchukwuN oludaisiN olufemiN2 olugaN olugbengaN olujimiN olukemiN
olumideN olumoN olumuyiwaN oluomoN oluremiN olusegunNM olusholaN oluwafemiN oluwarotimiN oluwaseunNM oluwatimileyinN oluwatoyinN oluwoleN oluyinkaN
omadefuN omamoghoN omarNM3 omari omenekeNF omolafeN omoregbeN omoregieN omotoshoN omoyemwenNF omurbek onabanjoN onahN onaiwuN onanugaN oncheN ondrejM
oneal onechojoNF oneill ongM2 onimisiNM oniyereN onmaNM onobunN onohN onojaNM onokpasaN onomeNF onorN onuN onucheN onuigboN onuohaN onuzuruikeN
onwuasoN onwudiweN onwukaN onwusibeN onyaoleNF onyemachiN onyemaechiN onyewuchiN oparaN opeyemiNM opuboNM opuendeN opuoruN orbanN ordiaN ordonez
orellana orezimeNF orjiN orkarN orkerN orlando orozco ortega2 ortiz2 ortomN orubebeN osaboN osagieNM osahonNM osanebiN osarugueNF osasN osazeNM
osborne oscarM3 oseiN oseniN oshiomholeN oshoN oshomahN osifoN osimNM osinowoN osman2 osmani osobaN osorio ossyN osujiN osullivan osunsanyaN osvaldoM
otaigbeN othmanN otoboN otobongNM ottarM ottoM2 otumalaN ouattara2 ouedraogo ouelo ousmane ousmanouN ovidiu ovieNM ovundaNM owajiN owenM owoeyeN
owolabiN2 owuor owusu oyebodeN oyebolaN oyedejiN oyedeleN oyelekeN oyewoN oyiboN oyintonbraNM oyvindM ozigiN oziomaNF ozoveheNM ozuruigboN pabloM2
pacheco2 padilla paduka pais paiva pakM2 palM palacios paliN palma palmer palo palsson pamNM pandey pandu pang pantev pantoja paolo2 papa
papadimitriou papadopoulos papagiannis papanikolaou pappas paredes paris park2 parsons partyN parveen pascalN paschalN paswan pat2 patel patil
patriceM patricia2 patricioM patrickM2 patrizia patsy pau paulM3 paulaF paulin paulino paulo2 paunov pavelM2 pavle pavolM payne paz pedersen pedraza
pedroM3 peevski pehin pek pellerN pena penchev penda pendiente pengiran penn penttiM pepe perM2 peralta pereNF pereira perez2 perot perry perttiM
petar2 peteM peterM3 petersen2 petkov2 petrM2 petra petras petre petrosyan petrov2 petrova2 petru petrus pettersson petya peza phalalN pham2 phanM
philM philemon philipM2 philippeM2 philipsN phiri phuoc pia piangatN picardo pickering pier pierreM2 pilar pin pineda ping pini pirfaN piusN2 plamen
poh pol pollo ponce pong popoolaN popov porter portillo poul poulsen powell prakash prasad2 preciousF prem preyeN preyorN prieto priscillaF prodhan
prosser protesta protik puerto pullahN pun pwajokN pwanaNF qaadir2 qudusNM quin quintana quiroga quispe qureshi rabeN rabenirina rabiNF rabiuN
rachealN rachelF2 rachid radev radeva radhi radimM radkova radoslav rafaelM3 rafiatNF rafiq rafiuNM rahabNF rahamaNF rahaman rahilaNF2 rahimN2 rahisN
rahman3 rahul raimoM raimundo rainer raj2 raja rajapaksa rajesh rakiyaNF ralphM ram2 ramadhan ramadhani rambiN ramesh ramirez3 ramiro ramonM2 ramos2
ramsey rana randaN randall randi randolph ranjeet ransomeN ranta rao rasakN rashid2 rashidi rasmussen ratu raufN raulM2 ravi ravindra raxmaan ray2
raymondM2 razak rea real rebeccaF2 reddy rees reginaF rehman reid rein rejoiceNF remigijus remigio remyM remzi renata renato rendell reneM2 rennie
renzo retd reubenN reuven reyes2 reza rhoda ribeiro ricardoM2 richardNM3 richardsN rick ridhaM ridwanN rifkatuNF rigobert rijahN rilwanNM rilwanuN rim
rimaN rincon rino rinzin rio rios rishiN risto rita2 rivas rivera2 rivero riza rizzyN roa robM2 robertNM3 roberta robertoM3 robertson2 robin roca
rocco rocha2 roche rocio rodolfo rodrigo rodrigues2 rodriguez2 rogelio rogerM2 rogerio rogers rojas rok rolandNM2 rolando rolfM romain romanM2 romeo
romero romo romulo ron ronald2 ronaldo ronen ronkeNF ronnieM2 roque rosaF2 rosales rosaria rosario2 rosca rose2 rosemary ross2 rossi rotta roula royM
royal roza rrustemi rtd ruben2 rubio ruby rudolfM2 ruediM rui ruiz2 rukayatNF rukayyaN rukayyatN rukkyNF rukubaloN rumen rumiana runkaN rupen rushen
ruskova russellM ruthF2 ryan ryang ryong2 saa saadN2 saadi saadiaN saadoun saboN saborN sabri sadaN sadamN sadat sadiatNF sadipeN sadiqN2 sadique
saeedN safanaN safiyaNF2 safiyatN sagirN sahabiN sahu saia saida saidi saiduN3 saif saine saini sakatai sakinaN sakinatN salahN salahuN salakoN salamN
salamatuNF salazar2 salehNM2 salem2 salgado salguero sali2 salihuN2 salim2 salima salinas salisuNM2 saliuN sall sallauN salma saloN salomao salome
salomon salum salvador salvatore samM2 samad samah samailaN saman samaraweera samba sambawaN same saminuN samir samira sammyM sampaio sampsonN
samsonNM2 samuelM2 samvel sanaF sanchez2 sandor sandoval sandra sang2 sangodaraN saniN3 sanjay sanjoN sankaraN santamaria santana santiago santos3
sanwoN sanz sarahF2 saratuNF sarayaNF sardar sari sarkiN2 sarkinN sarr sarwar sato satomiN saud savary savisaar sayeed schack schmid schneider schwaab
scottM seamus seanM sebastian sebastiao sebastien seck see seema segundo seiji seiler sekiboN sekou seleN selemani selina semiloreN semiuNM seng
senouci seok seong seppoM sergeM sergej sergioM2 sergiusN seri serna serra serrano sesughNM setonjiN shabaNM shabiN shafie shafiuN shagaliN shah2
shahi shalom shamis shamsiyyaNF shamsudeenN shamsul shane shankar sharadaN sharif sharma sharon shaul shaw shehuN3 shei sheila shekwoN shelly sherifN
sherifatNF sherwin shetimmaN shin2 shinaN shinkafiN shire shirin shittaN shittuN shlomoM shmuelM shobowaleN shokunleN short shrestha shri3 shukuratNF
shyam sia siang siciid sid siddhiki siddiqN siddique siderov sidiN2 siew sigmundur sigridur sigurdM sigurdsson sik2 sikiratuN sikiruNM sil silva3
silvana silviaNF2 sim simao simba simeonN2 simeonov simeonova simiN simisolaNF simmonds simms simoes simonM3 simona simone simons simpson simson sindi
singh2 sioka siraNF sitaram siti siva sivert siyakaN skelton slavchev slavov slobodan smartN smith3 smt2 snezhana soares sob soberekonN sobukanlaN
sochangN socorro sofia sok sokha sokol sokoloN sokolova sokpoN sola solajaN solberg soledad soliN solomonM3 somieariNF sommaruga somtochukwuNM son2
song2 soniaF sonja soo sophieF soraya sorenM sorensen soria sorin soroN sos sosa soto souad souleymane souleymanou soumaila sow spahiu spasov speaker
spyridon2 stamenov stanislavM2 stanleyN2 stanton stathis stefanNM2 stefano2 stefanos stefanov2 stefanus stein steinar steiner stellaF stephaneM
stephenM3 stern steveM stevenNM2 stevenson stewartNM stoev stoian stoilov stoilova stone stoyanov2 stoyanova stoynev strand stuart stylianos suarez
suberuNM successN suk2 sulaimonN suleN2 suleimanN3 sum sumayaN sumayyaNF2 sun2 sung2 sunil surajoNM suresh suruN surya susanF2 susanaF susanneF
suswamN suzana suzukiM sveinM sveinsson sverreM svetlana svetlen swan swee sydney sylla sylvainM sylvesterN sylvestre sylvieF tabeNM tae2 taher tahir
taitai taiwoN2 taiyoN tajudeenNM2 tajul takahiro takashi takhar takonN taku talal talatuNF taleb tali talpur talukder tam tamaN tamang tamas tambuwalN
tamunoN tamunoemiNM tamunosakiNF tamunotonyeNM tan3 tanakaM tanchev taneeN tang tanja tankoN2 tanner tanya taofeekNM tareq tarhuleN tariboN tariq
tarjaF tatiana tauershimaN taufiq tavares tavo tawfik teck2 tedM teddyN tegaNM teh tejuN teli tembo temitopeN tenekeN teng tengku teoN2 teodora
teodoro terabN terence teresaNF2 terfaN terhembaNM terhemenNM terjeM terkaaN terlumunNM ternaN terry tersooNM tertseaNM teslimN thach thamer thao
themistoklis theocharis theodorM theodoreN theodoros2 theophilusM thera thi3 thien2 thierryM thomasM3 thompsonN thomsen thorM2 thordarson thu thun
thuong tia tiborM tiggiN tijaniNM2 tijjaniNM2 tikiriN timNM2 timiNF timileyinN timoM timoteo timothy2 tinaF ting tinubuN tiong tito titusN tiwalolaN
tjongarero tobias tobunN tobyN tochiN todorov2 todorova todorovic tofowomoN toh toha tokN tokhi toledo toluN tolulopeNM toluwaniN tomM2 toma tomideN
tomislav tommy ton tong2 tonini tonyNM2 tonyeN topalli topeN torbjornM torgeirM torhukerhijoN torkumaN tornubariNF torreM torres torrez torsteinM toru
toshkova toure2 tove towaseN tran2 traore2 trejo trevor trinhM trondM trong trujillo trung truong trygveM tsai tsentseN tshuma tsu tsur tsvetanova
tsvetomir tsvyatkov tuan tukurN tulfugutN tulio tuncher tundeNM tung tungaN tutu tyemN tyodenN tyoughN tytti tzonev ubaN2 ubankatoN ubongNM ubosiN
ucheN2 uchechukwuN uchenduN uchennaN uddin2 udehN udemaduN udemeNM udoN2 udobaN udofaN udofiaN udogriN udoyorN ufotNM ugabiN ugas ugbedeNF ugbomaN
ugiagbeN ugochiNF ugochukwuNM ujahN ujuNF ukavweN ukoN ukpongN ulameN ullaF ulokoN ulrichM uma umarN3 umaruNM umberto umbugalaN umeoduaguN umeojiN
umohN umokeN umoruN unekwuNF ung unyimeNF urbina urennaNF uriM uribe uroyeN ursM ursulaF useniN usmanN3 usoroN usulorN utaziN uthmanN utibeNF utukN
uvieNF uviejitoborN uwadiaeN uwaifoN uwajiN uyiNM uzochukwuNM uzodinmaN uzomaN2 uzorN uzosikeN vaai vaclavM valchev valdes valen valencia valentin2
valentina2 valenzuela valeri2 valgerdur valkov valladares valle2 vandiN vanessa vangjel varela varga vargas2 vasco vasil vasile vasileios3 vasileiou
vasilev2 vasileva vasilika vasquez vatsaN vaz vazquez veena vega2 vela velarde velasco velasquez velazquez velchev velichkov velkov vembeN vera
vergara veronica2 veronique verri veselin veselinov vesna vicenteM2 viche victorM3 victoriaF2 vidal vieiraF viet vigdis vijay vijithaM villa
villalobos villanueva villar villatoro vincentM2 vincenzo2 vinh vinicio vinod virgilio virginia vital vittoria vivian vladimirM2 vladimirov vladislav
vlastaF vlastimilM vlcek vokeN volen vukovic vytautas vyzas waayorNF wadood wafa wah wahabN2 waheedNM wai2 wais wakilN wakiliN wali walker wallace
wallokN walterM2 wamakkoN wambaiN wan2 wandooNF wang wangchuk wangdi waniN ward warrenM washN washingtonN wasiuN watts waweru wayneM webster wee weliN
wells wen wencheF wendy werinipreN wernerM2 wesleyN white whomrouhoN wifaN wilfred will willem williamNM3 williamsN2 willieNM2 wilsonN2 wing winnie
winston wisdomN wodiN wokomaN wolfgang won2 wongM2 wooNF2 wood woods wouterM wright wudilN xasan xavier xenofon ximenaF xuan xuseen2 yaakovM2 yabagiN
yaboN yadav2 yaganaNF yagbaN yahayaNM3 yahuzaN yahyaN2 yairM yajiwaN yakakaNF yakubN2 yakubuN3 yakudimaN yallemanN yam yamelN yanaki yandevN yanev
yang yangaN yannick yao yapakN yaroN yaryaseN yasmina yasuhiro yasushi yauriN yavor yaw yayaN yee yeh yehudaM yekiniN yemisiN yenM2 yeo yeop yerimaN
yeroN yew yigalM yin ying yinkaN yipmongN yitzhakM2 ymer yohananM yolande yon yonanaN yong3 yoo yoram yordanov2 yordanova yorkaN yosefM yoshio
yoshitaka younes young2 yousef yugudaN yun2 yunusaN2 yusifN yusoff yusufNM3 yusufuN yvesM2 yvetteF zabainawaN zabbeyN zabul zachariahM zacharias
zadokN zaharadeenN zahir zahraNF zahradeenN zaid zailaniN zain zainabNF2 zainabuN zainal zainuddin zakariN zakariyaN2 zakariyauN zaki zakuN zalihaNF
zalmanM zambrano zanetti zankhaiN zannaNM zaraNF zavoli zdenekM zdravko zeca zeevM zelaya zeljko zepeda zhekabaN zhelev ziad zidonNM ziegler zimtimN
ziraN zisis zita zlatko zohra zondol zoran zorigt zoubi zubeir zulaihatNF zulaikhaNF zulkifli zulu zurab zuzanaF zviM
`;
