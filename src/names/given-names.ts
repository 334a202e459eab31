/**
 * Given names of Faker's locales (MIT, `given-names-licence.txt`), one spelling each, but for those whose gender `known-names.ts` has. How many people
 * bear them is not known. N: Nigerian. M, F: of men, of women. Written by `bench/aml/given-names.ts`.
 */
export const GIVEN_NAMES = `
aadidevM aadinathM aadrikaF aagneyaM aaltjeF aanandM aanandaswarupM aanandiniiF aanjaneyaM aanuoluwapoNF aaratrikaF aashrithaF aatmajM aatmaja
aatreyaM aayushmaanM abacoM abadonM abagailF abaka abakan abakay abaniF abayomiNM abbondanzaF abbondanzioM abbondioM abdallahM abdelM abdelkaderM
abdellahM abderrahmaneM abdielM abdonM abdoneM abdonieF abdoulayeM abdourahmaneM abdramaneM abdulahadM abdulazimM abdulazizM abdulboriyM abdulhafizM
abdulhayM abdulholiqM abduljabborM abduljalilM abdulkarimM abdullaM abdulqahhorM abdulqodirM abdulvahhobM abdulvaliM abdulvohidM abdurrahiymM
abdurrahmonM abdurraufM abdurrazzoqM abdussamadM abebiNF abeikuM abelardM abelardoM abeleM abelinM abelineF abenaF abendamF abeniNF abenzioM abhaidevM
abhayaF abhirathM abhisyantaM abibatouF abiboM abidinM abigailF abigaleF abigayleF abilay abiolaN abionaNM abisolaN abisoyeN abluc abnerM abondanceM
abosedeNF abramioM abramoM abrilF absalonM absar absolonM abyasaM acaceM acacieF acacioM acantheF acarioM acaryatanayaM accursioM acelyaF achaireM
achalesvaraM acharyanandanaM acharyasutaM achilesM achilleM achintyaM achrafM achyutM acilayF aciliaF acilioM aciscoloM acrisioM aculinaF adalan
adalardM adalardoM adalbaldM adalbaudeF adalberonM adalbertM adalbertaF adalbertoM adaldi adalfredoM adalgisaF adalgisoM adalineF adalmis adalricM
adalricoM adalsindeF adama adame adamoM adamsM adaugoN adberilgen addison addolorataF adebankoleN adebiyiNM adebolaN adebowaleNM adeboyeN adebukolaNF
adedaramolaN adedayoN adedejiNM adedoyinN adegokeN adegrinM adegrineF adekitanNM adekolaNM adelaF adelaidaF adelaideF adelajdaF adelardoM adelasiaF
adelbertM adelbertoM adelchiM adeleF adelekeNM adelfoM adelgardoM adelieF adelinM adelinaF adelineF adeliyaF adelmoM adelpheM adeltrudeF adenetM
adeodatM adeodatoM adeolaN adeoluNM adeotiNM adepejuNF aderopoNM adeshinaNM adesojiNM adesuaNF adetayoNM adetokeNF adhemarM adhiarjaM adhirajM adhritM
adibaF adigunNM adiguzel adikaM adikaraM adikaviM adikutlu adikutlutas adileF adinaF adinataM aditeyaM adityaM adityanandanM adityanandanaM adjutorM
adlibeg adnanM adolfM adolfaF adolfinaF adolfoM adolfsM adolpheM adolphieF adolphusM adoneM adonisM adoniseF adrainM adraman adrasteeF adrehildeF
adriaF adriaanM adrianaF adrianoM adrielM adrien adrienaF adrienneF adrioneM adripathiM adsiz adunniNF advayaM adwitiyaF adwoaF afanasi aferimF
afitapF afolarinNM afonsoM afruzaF afsar afsin aftonF afzunaF agabay agabioM agafiaF agakagan agalak agamennoneM agapeF agapetM agapitoM agastiM
agastyaM agataF agathangeM agatheF agatonM agazioM agenoreM agesilaoM agilbertM agilberteF aglaiaF aglajaF aglamis agnanM agnaneF agnefleteF agnesF
agnesaF agneseF agnetaF agnieszkaF agnimitraM agnipravaM agniveshM agnosM agostinaF agostinoM agrataF agrippaM agrippinM agrippineF agrypinaF agustinM
agustinaF ahalyaF ahenkF ahilyaF ahlemF ahmetM ahrorM ahsenM aidanoM aimableM aimoneM ainarsM aishaniF aissataF aissatouF aiyanaF ajalaNM ajanaF
ajaniNM ajengF ajimanM ajimatM ajiminM ajionoM ajlinF ajokeNF akalpM akandeN akanmuNM akanniN akarsanaM akata akbas akbaturM akboga akboru akbudak
akbugra akbulak akcakoca akcora akdemir akdogan akibudak akifaF akinci akinerM akinkunmiNM akinlabiNM akinwaleNM akkunlu akkurt akmalM akofaF akorfaF
akosuaF akpira akramM akroorM akshainieF akshajM akshatM akshataF akshayakeertiM akshitaF aksilM aksungur aktan aktekinM aktimurM akulaF akumaaF
akunnaN akvelinaF akwasiM akwesiM alabaN alaban alaboru aladag aladeN aladinoM aladogan alakurt alamannoM alambanaM alamuNM alanaF alanisF alanoM
alaraF alaricoM alassaneM alayunt alayuntlu albanM albaneF albanoM albenaF alberadeF albericM albericoM albertaF alberteF albertinaF albertineF albinM
albinaF albinoM alboinoM albrechtM albricoM alceoM alcesteM alcibiadeM alcideM alcidieF alcimeM alcinaF alcineF alcinoM alcyoneF aldegondeF aldemir
aldenM aldigerey aldobrandoM aldogan aldonceM aldricM aleandroM aleardoM aleaumeM alejandraF alejandrin aleksandarM alemkaF alenaF aleneF aleniaF
alenkaF aleodorM aleramoM aleseaF aleskaF alessaF alessandraF alessandroM alessiaF alessioM alethaF alevtinaF alexa alexandrM alexandraF alexandreM
alexandreaF alexandriaF alexandrinaF alexandrineF alexandroM alexandrosM alexandruM alexaneF alexeM alexejM alexiaF alexie alexineF alexis alexzanderM
alfioM alfonsM alfonsaF alfonzM alfonzoM alfordM alfredaF alfredoM alfredsM algirdsM algisM algisoM alicaF alicanM aliceF aliciaF alicjaF alidaF
alienorF alietteF alighieroM alimaF alimga alinaF alineF alionaF aliouneM alisaF alisanM alisherM alisirM alisonF alistairM alistarM aliviaF alix
alixeF alizaF alizeF alizeeF aljazM aljosaM alkaboluk alkaevli alkan alkasi alkis allegraF alliaumeM almerigoM almilaF almineM almiraF almireM almiroM
aloisM aloisieF aloisioM aloizsM alojzM alojzaF alojzijeF aloneM alonzoM aloyseF alpagut alpamis alparsbeg alparslanM alpata alpaya alpaykagan
alpbamsi alpbilge alpdirek alpdogan alperM alperenM alpertunga alpgerey alphanM alphonseM alphonsineF alpikeF alpilig alpinienM alpis alpkara alpkuluk
alpkutlu alpsalci alptegin alptugrul alptunga alpturan alptutuk alpulug alpurungu alpurungututuk alpyoruk altanM altankagan altankan altemurM altheaF
altinF altinkagan altinkan altinoba altintamgan altintamgantarkan altintarkan altintay altmiskara altonM altuga alvarM alvaroM alvenaF alveraF
alveredeM alvertaF alvieroM alvinM alvinaF alvineF alvis alviseM alzbetaF amabelaF amabileM amadeaF amadeoM amadeusM amadouM amahleF amaliaF amalianeF
amalieF amalricM amaltheeF amandM amandaF amandeF amandinM amandineF amandoM amani amantM amanteF amanzioM amara amaranaathM amarandeF amarantheF
amarantoM amareshM amari amarnathM amaryllisF amataF amatoM amatoreM amauryM ambarF amberF ambraF ambreF ambrineF ambrogioM ambroiseM ambroisieF
ambroseM ambrosianoM ambrozM ambrozyM amedeeM amedeoM amedeuM ameliaF amelianeF amelieF amelienM amelineF amelioM americaF americoM amerigoM
amethysteF ameyatmaM amicieF amicoM amilcareM aminataF amineM aminteF amintoreM aminuN amiraF amletoM amodiniF amokeNF amoneM amongM amopeNF amoreM
amparoF ampelioM amrak amritM amritaF amritambuF anaadiM anabelF anabelaF anacletoM anaelle anahiF anahitaF anaidaF analaF anamarijaF anamikaF anandaF
anandamayiF anangM anantaF anasooyaF anastacioM anastaseM anastasieF anastasijeM anastazM anastazieF anastazijaF anastazjaF anatazieF anatolM anatoleM
anatoliaF anatolie ancelinM ancelineF ancicaF ancillaF ancuk ancutaF andacF andariman andelM andelaF andelikaF andelinM andelinaF andelkoM andeloM
andeolM andersonM andjelinaF andocheM andraF andradaF andrasM andrazM andrea andreaneF andree andrejM andrejaF andrianM andrianaF andrija andrinM
andrinaF andrisM androM andromedaF andrzejM andzejsM andzelikaF andzsM anemonaF anemoneF anesaF anetaF anezkaF angadremeF angeleF angelikaF angelinaF
angelineF angeliqueF angelitaF angeloM anggabayaM anggunF angilbeM angilberteF angilranM angoustanM anibalM aniceeF anicetM anicetoM anicetteF
anielloM anilaF anilaabhM aninaF anisoaraF anissaF anjaliF anjela anjelicaF anjolaoluwaNM anjushreeF ankalM annabelleF annagraziaF annalenaF annaliseF
annamaeF annamarieF annapurnaF annekeF annelieF annemarieF annemijnF annetteF annibaleM annikkiF annonciadeF annunziataF anoraF anrijsM ansaldoM
ansbertM ansberteF anselM anselmM anselmaF anselmeM anselmoM ansgarM ansgaryM anshulaF anslavsM ansleyF ansovinoM anstrudieF antalM anteaF antekM
antelmoM anteroM anthelmeM anthelmetteF antideM antigoneF antimM antimoM antinoM antiocoM antoanetaF antoineM antoinetteF antoneM antonellaF
antonelloM antonettaF antonetteF antoniaF antoniettaF antoninM antoninaF antonineF antoniuM antunM antwanM antwonM anuarM anujaF anunayM anuraagM
anuskaF anusuyaF anutaF anweshaF apatarkan aphelieF apolenaF apollinaF apollinaireM apollinareM apollinaryM apollineF apolloM apolloniaF aprancur
aprilF apsaraF apuleioM aquilinM aquilineF aquilinoM arabelaF arabelleF araboga araceliF arademir araldoM arameF arankaF araratM aratoneM arbuz
arcadeM arcadie arcadioM archambaudM archanM archange archibaldM archimedeM archippoM arcibaldoM arcuk ardellaF arden ardic ardithF arditoM arduinoM
arelyF aresioM aretaF argeliaF argentinaF argil argimiroM argineF argonoM argun ariadnaF arialdoM arianM arianaF arianeF aribertoM ariboga aricieF
arielaF arielle arikagan arikdoruk arikeNF arinaF arinc arindamM arinolaNF arionM ariostoM arisaF aristarcoM aristeM aristeoM aristidM aristideM
aristioneM aristitaF aristoM aristofaneM aristoteleM arjenM arjunM arkadM arkadijsM arkadiuszM arkin arkis arleneF arletaF arletteF armagan armanM
armanceF armandeF armandineF armani armelM armelineF armelleF armidaF armideF arminM armineF arminioM arminsM arnac arnaldoM arnaudeF arneshM arnoldaF
arnoldoM arnostM arnostkaF arnouldM arnulfoM aroldeM aronaM aronneM arpadM arpat arrigoM arsal arsenM arseneM arsenie arsenijeM arseniuszM arsil
arsinoe arsipatraM arslanM arslanargun arslanboru arslansungur arslantegin arslanyabgu arslonM arsun artantoM artawanM artemisF artemisaF arthaudM
arthemeM arthurineF artiinal artiomM artuk artukac arturoM artursM artusM artut arunaF arunthavanathanM arvedM arvelM arvidM arvidsM arvillaF arwenF
arystarchM arzenM asadullohM asakeNF asanboga asantudun asantugrul asartegin ascanioM ascelinM ascelineF ascensionF asdrubaleM asellaF ashleighF
ashleshM ashlynnF ashton ashtynF asikbulmus asilaF asilbekM asimodeoM asirwadaM asirwandaM askinM asleshaF aslijanM aslimF asliyaF asmadiM asmanM
asmiantoM asmuniM asolatF assetouF assomptionF assuntaF assuntoM astalogul astarteF asterieF asterioM astianatteM astreeF astridaF astrideF asuelaF
aswaniM atakagan atakanM atalan atalayM ataldi ataleoM atalmis ataman atanasM atanasiaF atanasioM atanazie atasagun atasu ataullahM atberilgen
athalieF athanaseM athanasieF athenaF athenaisF athinaF atigay atikutlu atikutlutas atila atilgan atimer atinukeNF atlasM atlibeg atlikagan atmaca
atmanandM atmanandaM atreyeeF attilanoM attilioM atuncu aubertineF aubertoM aubinM aubree aubrey audaceM audebertM audelineF audouinM audraF audranM
audreanneF audreyF august augustaF augusteM augustinM augustinaN augustoM augustusM auliaF aureaF aurelM aureliaF aurelianM aurelianaF aurelianoM
aurelieF aurelienM aurelienneF aurelioM aureliuM aurelle aurianM aurianeF aurica auronM auroraF auroreF ausiliaF ausiliatriceF ausilioM austenM austyn
autumnF auxaneF auxenceM avadheshM avaniF avantikaF avdalM avelineF averardoM avery avigaelleF avitalF avluc avoyeF avramM avrilF avsarM aweroNF
awesiF axelineF axelleF axeniaF axinteM ayandaF aybalta aybars aydarkagan aydemirM aydinalp aydogan aydogdu aydogmus aygirak ayindeN ayinkeNF ayitmis
ayizdag aykagan aykurt aylineF ayluctarkan aymaneM aymardM aymardineF aymericM aymondeF ayodejiNM ayomideN ayomikunN ayotudeN aysilig aytekinM
ayushmatiF ayyildiz azaleaF azaleeF azamatM azban azeglioM azeliaF azelieF azelineF azelioM azgan azganaz azimeF azizaF azizhanM azubuikeN azzurraF
baalaadityaM baalagopaalM babacanM babacarM babasolaNM babatunjiNM babawaleNM babetaF babetteF babilaF babir babur bacara baccayman bacman badabul
badisM badruk badur bafanaM bafodeM bagaalp bagaisbara bagan bagasM bagasatulu bagatarkan bagatengrikagan bagatur bagaturcigsi bagaturgerey bagaturipi
bagatursepi bagdagulF bagis bagiyaM bagtas bagusM bahadirM baharF bahiaF bahodirM bahriM bahriddinM bahromM bahtiyarM bahulaM bahuraksaM bahuwarnaM
bahuwiryaM baidehiF baijayantiF bajraginM bakagul bakaryM bakdaM bakhtiyorM bakiadiM bakiantoM bakidinM bakijanM bakimanM bakionoM bakir bakirsokum
baksi baktiM baktiadiM baktiantoM baktionoM bakulaM balaban balachandraM balagovindM balaka balakatay balamaniF balamantriM balamir balanggaM
balapatiM balazsM balcar baldassarreM baldericoM baldoM baldomeroM baldovinoM baldu baldwinM balgopalM balidinM balijanM balinF balintM balkik balta
baltaci baltar baltazarM baltir baltur bambangM bambinaF bamsi banaraM banawaM banawiM bancarM bandhuM bandhulM banelM bangizweM bangu banjiN bankimM
bankimchandraM bankoleN banutaF baptisteM barak baraktore baran barbalaF barbarigoM barbeF barbeg barboga barbol barboraF barbroF barbuM barbulsun
barca barcadogdu barcadogmus barcadurdu barcadurmus barcatoyun barchinoyF bardibay bardoM bardomianoM bargan baricaF barimtay barinM barisM barkan
barkdogdu barkdogmus barkdurdu barkdurmus barkinM barlasM barlibay barmaklak barmakli barman barnabaM barnabasM barnabeM barneyM barnoF baronM
barrettM barsabaM barsbeg barsboga barsgan barsimeoM barskan barsurungu barthelemyM bartholomeM bartimeeM bartoloM bartolomeaF bartolomejM bartolomeoM
bartolomeuM bartonM bartuM basademir basak basan basantiF basanyalavac basar basarabM basat basbug basgan basilM basileM basileoM basiliaF basilioM
basilisseF baskin baskirt baskurt basmaF basmil bassianoM bassillaF bastar basti bastianM bastianoM bastienM bastugrul basut bathildeF batildaF batrak
battalM battistaM batuhanM batuk baturM baturalpM baudouinM bawerM bayancar bayankagan bayazit baybars baybayik baybicen bayboga baybora baybure
baydar baydemir baydur bayincur bayindir baykalM baykara baykoca baykuzu baymunke baynal baypure bayrak bayramM bayrin bayruk baysungur baytara baytas
bayuncur bayurku bayutmus bayuttu bazilM bazir bazyliM beataF beateF beatoM beatrixF beatrizF beatryczeF beatusM beaulahF beceapa beckem bedirM
bedirhanM bedizF bedranF bedreddinM bedriM bedrichM bedriskaF begarslan begbars begbilgeciksin begboga begcur begdemir begdilli begdurmus begil begine
begitutuk begkulu beglen begni begoyimF begtas begtegin begtuzun behcetM behicM behlulM behramM behremF behruzM behzatM bekazil bekbekec bekec
bekecarslan bekecarslantegin bekectegin beker bekirM beklemis bekmurodM bektasM bektur belcimF belcir belek belemirF belgi belguc belimirM belinaF
belindaF bellinoM belmaF beltir beltramoM beltunF benadikM benceM bendeM bendeguzM benedekM benedettaF benedettoM benedicteF benediktM benediktaF
beneditaF bengi bengtM bengu beniaminaF beniaminoM beniceF benicioM benignaF benigneM benignoM benitoM benjaM benjamimM benliF benlidemir bennetM
benoneM benteF bentleyM bentonM benvenutaF benvenutoM benyaminM berangerM berangereF berardM berardoM beratM bercemF bercesteF bercinF berdanM
berdibeg berendM berendey berengarioM bereniceF berenikaF berfin berginsenge bergu berinayF berislavM beritF beritanF berivanF berkanM berkay berkinM
berkis berkyaruk bermek bernadettaF bernadetteF bernadineF bernardaF bernardoM berndM berneiceF bernhardM berniceF bernieM bernitaF beronicoM berranF
bertaF bertalanM bertheF bertiM bertilleF bertoldM bertoldaF bertoldoM bertolfoM bertramM bertrandM bervaF berylF besarM besentegin beserM besimM
besirM besraF betaniaF betemir bethanyF bethel betinaF bettyeF beulahF beuveF beverlyF bextiyarM beyizci beyrek beyrem bhaanumatiF bhaasvanM bhaaswarM
bhadraF bhadrakM bhadrakshM bhadranM bhagavaanM bhagirathiF bhagvanM bhagwantiF bhagwatiF bhaminiF bharadwajM bharatM bhardwajM bhargavaM bhargaviF
bhaumikM bhavaniF bhavesM bheeshmaM bhekimuziM bhekizizweM bhekumbusoM bhilanganaF bhimaM bhishamM bhoopatM bhoopatiM bhooshanM bhooshitM bhramarM
bhudevM bhudevaM bhupenM bhuvaneshM bhuvaneshwarM biagioM biankaF bibianaF bibianoM biborkaF bicek bickici bidin bignaF bilalM bilelM bilge
bilgebayuncur bilgebeg bilgeciksin bilgeisbara bilgeisbaratamgan bilgekagan bilgekan bilgekulucur bilgekutluk bilgetacam bilgetamgaci bilgetardu
bilgetegin bilgetonyukuk bilgez bilgic bilgin bilig biligkongulsengun bilik biljanaF billureF bilolM bilvaF binafshaF binbegi bindir bindoM binetaF
biraneM birdieF birgitF birgitaF birgitteF birinoM birjeshM birolM bisenijaF biserkaF bishnuM bitaybiki bitri bivojM blagicaF blagojeM blahomilM
blahomilaF blahomirM blahomiraF blahoslavM blahoslavaF blaiseM blakeM blancheF blandineF blanduziaF blankaF blazeM blazejM blazenaF bobanM bobanaF
boburM bodhanM bogac bogacuk bogdanM bogdanaF bogde boglarkaF bogoljubM bohdanM bohdanaF bohemondM bohuchvalM bohumilM bohumilaF bohumirM bohumiraF
bohunM bohunaF bohusM bohuseF bohuslavM bohuslavaF bojanM bojanaF bojislavaF bokde bolatitoNF boldaz boldizsarM bolemirM bolen boleslavM boleslavaF
boleslavsM bolmus bolsun bolukbasi bolun boluwatifeNF bonagiuntaM bonaldoM bonaventuraM bonavitaM boncuk bonek bonge bonginkosiM bongul bongulboga
bonifacM bonifaceM bonifacioM bonitaF bonitoM boran borbalaF borcul borekM borislavM borislavaF borivojM borivojeM borjanM borkaF borkoM borlukcu
borna bornak borokaF bortecine bortoloM borubars borusengun borutM bosiljkaF boskoM botanM botirM botondM boubacarM bouchardM bouchraF boyan boyankulu
boylabaga boylabagatarkan boylakutlutarkan bozan bozboru bozdogan bozenaF bozetechM bozetechaF bozicaF bozidarM bozidaraF bozislavM bozkurt bozkus
bozok bradenM bradfordM bradleyM bradlyM bradutM bradyM braedenM brahimM brahmaM brahmaanandM brahmabrataM brahmanandamM brahmdevM brajanM brajenM
brajendraM brajeshM brancaleoneM brandiF brandoM brandonM brandtM brandusaF brandynM branimirM branimiraF branislavaF brankaF brankicaF brankoM
brannonM bransonM brantM bratislavM bratislavaF braulioM braxtonM brayanM breanaF breanneF brendaF brendenM brendonM brennaF brennanM brennonM brenoM
brentM bretislavM bretislavaF briacM brianaF brianneF briceM bridgetF bridgetteF bridieF brielleF brieucM brigidaF brigitaF brigitteF brijeshM
brionnaF brisaF britaF britneyF brittanyF broderickM brodyM bronislavM bronislavaF bronislavsM brookeF brooklynF brooksM brown brunaF bruneF
brunehautF brunehildeF brunhildaF brunildeF brutoM bryantM brycenM bryonM bucan bucur budag budak buddhanaF budhilM budimirM budislavM budivojM
budunlu budus budustudun bufordM bugday bugduz bugduzemen bugraM bugrakarakagan bugubilge buhleF bukak bukaktutuk bukduz bukebuyrac bukebuyruc bukolaN
buktegin bukusboga bulacapan bulak bulan buldur bulentM bulgak bulmaz bulmus bulug buluk bulutM bumen bumin bunmiNF bunsuz bunul bunyaminM burakM
burcak burdette burgucan burgut burhanM burhonM burkay burkek burkut burleyM burluk burnice burslan burulday burulgu burunduk busayoN busisiweF
busterM busulgan butak butuk buyan buyancuk buyandemir buyankara buyat buyrac buyruk buzac buzactutuk byronM bystrikM cabdar cabli cabus cadenM
caesarM caetanaF caferM cagakM cagatayM cagdasM cagerM cagilF caglaF caglarM caglayan cagriM cagribeg cagrihanM cagritegin cagru cahidM cahyaM
cahyadiM cahyantoM cahyoM cahyonoM caitlinF caketM cakrabirawaM cakrabuanaM cakrajiyaM cakrawalaM cakrawangsaM calanicoM calapkulu calcedonioM calebM
calebeM caleighF calinM calinaF calistaF calixteM callistoM callumM calogeraF calogeroM calpurniaF calvinM camdenM cameliaF camelienM cameronM
camiliaF camille camillienM camilloM camrenM camronM camrynF canalpM candaceF candarM candelarioM candiceF candidaF candideM candidoM candraM
candrakantaM canelF canerM cangulF cankanM cankiz cannurF canselF cansinF cansuF cantemirM cantidioM canzianoM capitolinaF capucineF caraka caribertM
caridadF carissaF carleeF carlesM carletonM carleyF carlijnF carloM carlomanM carlottaF carltonM carmelF carmeloM carmenF carminaF carmineM carminhoF
carmoF carolaF carolanneF caroleF carolinF caronteM carponioM carroll carterM carubM casianaF casildaF casimerM casimirM casimiraF casimiroM caslavM
cassandraF cassandre cassianoM cassidyF cassienM cassioM cassiopeaF cassiopeeF castilleF castoM cataldoM cataleyaF catalinM catalinaF catenaF
catharineF catincaF catrinelF catulloM caturM caturanggaM cavidM cawisadiM cawisonoM cawukM cayadiM ceasarM ceceliaF cecepM cecil ceciliaF cecilieF
cecilioM cecyliuszM cedomirM cedrinM celalM celaleddinM celasunM celeste celestinM celestinaF celestineF celestinoM celiaF celianM celikM celilM
celinaF celineF celiniaF celsoM cemalM cemaliM cemaniM cemen cemetiM cemgen cemilM cemplunkM cenekM cengkalM cengkirM cenkaF ceraselaF cerenF ceriseF
cesaireM cesareM cesarioM cesminazF cestmirM cestmiraF cetinM cetinelM cetinerM cevahirM cevatM ceydaF ceyhunM ceykun ceylaF ceylanF ceylinF ceylinazF
cezarM cezaraF cezaryM cezmiM chaanakyaM chaaruchandraM chadrickM chahineM chahinezF chaitanM chakorM chakradharM chakravarteeM chakrikaF chanceM
chandaF chandakM chandanM chandaniF chandiF chandiniF chandiraF chandler chandniF chandra chandraayanM chandrabhagaF chandrabhanM chandradevM
chandrakalaF chandraketuM chandrakinF chandramaniF chandramauliM chandramohanM chandranM chandranathM chandraniF chandraprabhaF chandraswaroopaF
chandravatiF chanelF chanelleF chapalM chapalaF charakM charleenF charlemagneM charleneF charley charlineF charlizeF charlottaF charlotteF charumatiF
charuvratM charviF chasityF chatenM chaturM chaturaF chaturaananM chaturbhujM chaunceyM chekhounaM chelseaF chelseyF chelsieF cherechiN cherifM
cherubinoM cherylF chesley chesterM chetanaanandM cheyanneF chiaffredoM chiamakaN chiaraF chidaakaashM chidaatmaM chidambarM chidambaramM chidanandaM
childebertM chilpericM chimamandaN chineduN chinmayanandM chinmayanandaM chinyereN chiranjeevM chiranjeeveM chirilM chirineF chitrakshM chitraliF
chitramalaF chitrangadaF chizobaN chrabrosM chranibojM chraniborM chranislavM chranislavaF chretienM christM christaF christelleF christerM
christianoM christieF christinF christinaF christoduleM christopM chrudosM chrysoleM chrysostomeM chukwuN ciaobellaF ciaraF cicekF cicem ciceroM
cieloF cierraF cigdem cigilF cihadM cihanM cihangirM cihansahM cilasun cilenti cilerF cilvenazF cindyF cingir cintaF cinziaF ciprianaF ciprianoM
ciranoM ciriacoM cirilloM cirinoM cisilF cistoslavM cistoslavaF citlalliF citraF civanM claraF clarabelleF clareF clarenceM clarenzioM clarissaF
clarisseF clarkM claudM claude claudienM claudineF claudiuM clausM clavdiaF claytonM cleandreM cleandroM cleliaF clelieF clemenceF clemensM clementeM
clementineF clemenziaF clemmie cleofeF cleonicoM cleopheeF cleoraF cleryM cletaF cletusM cleveM clevelandM cliffordM cliftonM climacoM clinioM clintM
clintonM clodomiroM clodoveoM clorindaF clotaireM clotildeF clovisM cloydM clydeM cobulmak cocukboru codinM codrinM codrinaF codrutM codrutaF cointaF
cokramayul colbyM colemanM coletteF colineF colinsM colman colmannoM colmazioM colombaF colombanoM colombeF colomboM colpan coltenM coltonM columbusM
comfortF concepcionF conceptionF concettaF concettoM conchitaF concordioM connerM connorM conradM consolataF constancaF constantM constantaF
constantiaF constantinaF constatinM consueloF cooperM coralieF coralineF corbinM corbinianoM cordeliaF cordellM cordiaF cordie coreneF corenoM
corentinM corentineF corinneF coriolanoM corneliaF cornelioM cornelisM corneliuM coronatoM corradoM cortezM cortneyF cortoM corvinM cosimaF cosimoM
coskunM coskunerM cosminM cosminaF costacheM costanteM costantinoM costanzaF costanzoM costelM costinM coumbaF courtney crawfordM cremenzioM crengutaF
creolaF crescenteM crescenziaF crescenzioM crespignanoM crinaF crispinoM cristaldoM cristeaM cristianaF cristianoM cristobalM cristoforM cristoforoM
cristopherM crocefissaF crocefissoM cronidaF crystelF csabaM csanadM csengeF csongorM ctiborM ctiboraF ctiradM ctiradaF ctislavM ctislavaF cubeyrM
cullenM cumhurM cunegondaF cuneytM cunibertoM cupidoM curtisM cuziaF cvetkaF cvijanM cvijetinM cynthiaF cyntieF cyprianM cyprienM cyrianM cyriaqueM
cyrielle cyrilaF cyrineF cyrusM daantjeF dabizivM dacianM dacianaF dacianoM dacinM dacioM dadapM daevikaF dafinaF dagelM daghanM dagmarF dagmaraF
dagobertoM dahliaF dainuviteF daiwikM dajanaF dakota dakshaF dakshayaniF daliaF daliborM daliboraF daliborkaF dalidaF dalilaF dalimaF dalimanM
dalimilM dalimilaF daliminM dalimirM dalimiraF dalionoM dallas dallinM dalmazioM daltonM damarM damarisF damasoM damayantiF dameonM damianaF damianoM
damifeNM damilM damilolaN damionM damirM damjanM damjankaF damlaF damocleM damodaraM damolaN damonM danangM dandakM dandapaaniM dandreM dangeloM
daniaF danialM danicaF danielaF danielle danijelM danijelaF daniloM danioM daniqueF daniswaraM danjumaN dankaF dankoM danteM danujaM danuseF danutaF
daphneF daphneeF darasimiN darby darcyM darekM dariaF darian darianaF dariatiM darienM dariminM darinaF darineF darinkaF darioM darionM darisM dariusM
darjaF darkoM darlaF darleenF darleneF darmajiM darmanM darmanaM darmantoM darnellM daronM darrelM darrenM darrickM darshanM darshwanaF darsirahM
dartaF dartonoM darunaM darwinM daryaniM dashawnM dasiaF daverM davidaF davideM davidsM davinM davinaF davinoM davionM davisM davonM davonteM davorM
davorinM davriyaF davronM davudM dawsonM dayaamayM dayaanandaM dayaanidhiM dayamayeeM dayanaF dayaneM daytonM deangeloM debraF decebalM decimoM
declanM dedricM deekshaF deenabandhuM deepaliF deepanM deepankarM deependraM deepeshM deeptanshuM deeptenduM deeptimanM deeptimayM deeptimayeeF
deeptimoyee deevakarM defneF degnaF dejanM dejanaF dejonM dejuanM delalF delaneyF delbertM delfinaF delfinoM deliaF delilahF delindaF deliziaF delmerM
deloresF delphaF delphiaF delphinM delphineF delta demarcoM demarcusM demarioM dembaM demetF demeterM demetraF demetriaF demetrioM demetris demetriusM
demiladeNM demiralpM demirhanM democritoM demondM demosteneM denevalM denisaF deniseF deniz denizalpM deodataF deodatoM deondreM deontaeM depoldM
derinF deronM derrickM dersimM dervisM deryaF desankaF desdemonaF deshaunM deshawnM desiderataF desideratoM desiderioM desimirM desireM desireeF
desmondM despinaF destanF destanyF desteF destinM destineeF destineyF detmarM detrichM devadattM devagyaM devajyotiM devakM devan devanganaF devaniF
devanteM devasreeF devdanM devenM deveshM deveshwarM devin devon devonteM devotaF devranM devvratM dewayneM dewittM dexterM dexxM deziderM
dhaanyalakshmiF dhanadeepaF dhanalakshmiF dhananjayM dhanapatiM dhaneshM dhanpatiM dhanvinM dharaniF dharitriF dharmaketuM dhatriF dhyaneshM
dhyaneshwarM diamanteF diamondF dianaF dianoraF diaraF dicleF diclehanF didemF didimoM didinaF dieterM dieudonneM dieudonneeF dieynabaF digambarM
digambaraM digdayaM dikmenM dilafruzF dilaraF dilareF dilaverM dilbarF dilberF dilberayF dildar dildoraF dilekF dilerF dilettaF dilfuzaF dilhan
dillonM dilmurodM dilnozaF diloromF dilovanF dilraboF dilrubaF dilsozF dimasM dimazM dimitrijM dimitrijeM dimitrinaF dinakarM dincerM dindaF dineshM
dinisM dinkarM dioclezianoM diodataF diodoroM diogeneM diogoM diomedeM dioneM dionigiM dionisiaF dionisioM dionizyM dionyzM dionyzosM direncM dirjaM
dirojM dirokF dityaF divineF divisM diviskaF divjotM divnaF divyaF dixieF diyoraF dizik djenebaF djibrilM dluhosM dmitriM dobravaF dobrilaF dobromilM
dobromilaF dobromirM dobromiraF dobroslavM dobroslavaF dochiaF dodatoM doganM doganayM doganerM doinaF doinitaF dolunayF domagojM domenM domenicM
domenicaF domenicoM domezioM domingoM dominikM dominikaF dominique domitilleF domizianoM domnicaF donaldaF donatM donataF donatellaF donatelloM
donatoM donavonM donduF donkaF donnellM doranaF dorcasF dordeM doreen dorelM dorian dorianaF dorianeF dorianoM doricaF dorinaF dorineF dorinelM dorisF
doritF dorkaF dorliF dorotaF dorotejaF doroteoM dorotheaF dorothyF dorottyaF dorthaF dortheF dorthyF doubravaF doubravkaF douniaF dovudM doyinsolaNF
doyleM dragaF draganM draganaF dragicaF draginjaF dragisaM dragoM dragojeM dragojloM dragoljubM dragomirM dragosM dragoslavM dragutinM drahomilM
drahomilaF drahomirM drahomiraF drahonM drahosM drahoslavM drahoslavaF drahotinM drahotinaF drahuseF drahutinM drajatM drakeM draupadiF drazaM drazenM
drinaF dronaM druinaF drzimirM drzislavM duanneM duarteM dubravkoM duccioM dudleyM duduzileF duilioM dulariF dulceF dulcineaF dulinaF dumisaniM
dumitraF dumitranaF dumitritaF dumitruM duncanM dundarM dunjaF duradM duranteM durdaF durdaneF durdonaF durgaF durgeshwariF duricaF durmusM durodolaNM
durriyeF dururbunsuz durwardM dusanaF dusankaF dusicaF duskaF duskoM dustinM dusty duyguF dwaipayanM dwaipayanaM dwayneM dwightM dylan dylanoM dzileF
dzirkstiteF earleneF earlineF earnestM earnestineF easterF eastonM eberardoM ebioweiN ebkizi ebonyF ebren ebunoluwaN ebuzerM ecaterinaF ecclesioM
ecehanM ecevitM ecmelM ecrin ecvetM edelbergaF edgarM edgardM edgardoM edgarsM edilbertoM edisonM editaF edmondM edmondoM edmundM edoardoM eduardaF
eduardsM edvigeF edvinM edvinsM edwinaF edytheF edzusM eekalabyaM efimiaF efisioM efkenM efrainM efrosiniaF efsunM eftalyaF eftimiaF eftimieM egemenM
egidioM egilsM eginardoM egistoM egiziaF eglantineF egmontM egonaF egrim ehmedM eizensM ekaakshM ekadantM ekalavyaM ekalingM ekaparnikaF ekdantM
ekremM ekundayoNM eladioM elaideF elaineF elakshiF elanurF elbekM elbertM elcinF eldonM eldorM eldoraF eldredM eldridgeM eleanorF eleanoraF eleanoreF
eleazarM electaF elektraF elenaF eleniF elenorF elenoraF eleonoraF eleonoreF elettraF eleuterioM eleuthereM elfridaF elginM eliabethF elianM elianaF
elianeF elianoM eliasM elideF elietteF elifioM eligioM elimenaF elinaF elinorF elinoreF eliodoroM elionM elionaF eliorM elisa elisabettaF elisavetaF
eliseF eliseaF eliseeM eliseoM elisioM eliskaF elitaM elizaF elizabetaF elizavetaF elizeF elizejM elizeusM elkin elladaF elliotM ellsworthM elmarM
elmarsM elmasF elmerM elmiraF elmoreM elmurodM elnareF elnoraF elnurM eloanM eloaneF elodiaF elodyF elogioM eloisaF eloiseF elonaF eloneM eloraF
elouan elouiseF elpidioM elroyM elsbethF eltonM elveraF elvezioM elviaF elvinaF elvinoM elviraF elvireF elvisM elwinM elyanoraF elyesM elzbietaF
elzearM emanoilM emanuelaF emanuellyF emanuilM emcedM emekaN emeliaF emelieF emelineF emeraldF emeranceF emerencieF emerichM emersonM emery emeseF
emidioM emileM emilianM emilianaF emilianoM emilieF emilienM emilioM emilsM emineF emirhanM emmaleeF emmanuelle emmericoM emongM emory empirioM
emplukM emrullahM enakshiF enderM enderunM endraM endrigoM eneconeM engelbertM enginM enguerrandM enimiaF eniolaNF eniseF enolaF enoraF enricaF
enricoM ensarM ensioM entengM enverM ephraimM epiphaneM eraclaF eraclideM eraldoM eralpM erardoM erasmoM erastM erazimM erazmusM erberkM erbertoM
ercanM ercolanoM ercoleM ercumentM erdalM erdemM erdeni erdenikatun erdeniozuk erdincM eremiaM ereniaM erentuz ergene ergenekatun erginM ergunM
ergunerM erhanM erhardM eribertoM ericoM erikaF eriksM erinc erineF erkamM ermanM ermannoM ermelindaF ermen ermenegardaF ermenegildaF ermenegildoM
ermesM ermeteM ermiloM erminiaF erminioM erminsM ernestM ernestaF ernestinaF ernestineF ernestoM ersanM ersiliaF ersinM ertanM erten ertenozuk
ertugrulM ervinaF ervinsM erwanM esbenM esenbike eshanaF eshitaF esmeraldaF esmerayF esmiraF esperanzaF esrefM estebanM estefaniaF estel estellaF
estelleF esteraF esterinaF estevanM estiawanM estionoM estrellaF esuperioM esupofoNM etelaF eterieM ethelynF etienneM ettoreM eubertM euclideM eudesM
eudochiaF eudokiaF eudoksjaF eudoraF eudoxeM eudoxieF eufebioM eufemiaF eufemioM eufrasiaF eufronioM eufrosinaF eufrozinaF eugenM eugeniaF eugenieF
eugeniuM eugeniuszM eulaliaF eulalieF euniceF eunikaF euphrasieF eurydiceF eusebeM eusebiaF eusebieF eusebioM eusebiuM eusebiusM euseoM eustacheM
eustatiuM eustorgioM eustosioM eustracjuszM eutaliaF eutalioM evaldM evaldoM evaldsM evalynF evandroM evangelinaF evangelineF evansM evaristM
evaristeM evaristoM evasioM evdochiaF evdokijaF evelinF evelinaF evelineF everardoM everettM everetteM evertM evgheniM evgheniaF evidioM evodioM
evranM evrardM evremondoM evrenM evsenF evzenM evzenieF ewatomiNF ezechielM ezechieleM ezequielM ezozaF ezrakM fabiaF fabianM fabianaF fabianoM
fabienM fabienneF fabiolaF fabriceM fabriciaF fabricioM fabrizioM fadekemiNF fadereraNF fadilM fadimeF fahrettinM fahriM fahriddinM fahriyeF
fahrunissaF falbaM famianoM famkeF fanikaF fantaF fantinM fantineF fanyanaM farangizF fardauF faresM farhunnisaF farisM fathonahF fatimF fatimaN
fatimataF fatimeF fatinM fatmaF fatosF fatoumaF fatoumataF faustM faustaF faustinM faustinaF faustineF faustinoM faustoM favianM faysalM fayzbekM
fazilM fazilatF faziletF fazioM fazliM fazliddinM fazullahM febrianaF febrinaF fedeleM federicaF federicoM fedorM fedoraF fedroM fehimeF fehintolaNF
fehmiM feliceM feliciaF felicianM felicianoM felicieF felicienM felicitaF felicitasF feliciteM felicityF felinaF felineF felipaF felipeM feltonM
femkeF fenderM fenjaF feodorM feodoraF feodosiaF feramusM feramuzM ferda ferdiM ferdinandM ferdinandaF ferdinandoM ferencM ferhanM ferhatM ferideF
feridunM ferielF ferihaF feritM fermanM fermianoM ferminM fermoM fernandaF ferneF ferqaneF ferruccioM feruzaF feryelF festoM fevroniaF fevziM
fexriyyeF feyyazM feyzullahM fiacreM fiammettaF fibikemiNF fidanF fidelM fideleM fidelieF fideliusM fidenzianoM fidenzioM figenF fikayomiNF fikretM
fikriM fikriyeF filemonM filibertM filibertoM filipaF filippoM filizF filofteiaF filomenM filomenaF filomenoM filotijeM finiaF finjaF finlayM fiodorM
fiordalisoF fioreF fiorellaF fiorenzaF fiorenzianoM fiorenzoM firasM firdavsM firdevsF firminM firuzeF fitratM fitriF fitriaF fitrianiF flaminiaF
flaviaF flavianM flavianaF flavianoM flavieF flavienM flavioM flaviuM flaviusM fleanoM fletaF fletcherM fleurF floareF floareaF flodoardM floortjeF
floraF floreF floreaM florenceF florenciaF florencioM florencjaF florentM florentaF florentinM florentinaF florentineF florestanM florianM florianaF
florianeF florianoM floricaF florida floridiaF florieF florinM florinaF florineF florisM flossieF floydM flurinM flurinaF folafoluwaN folashadeNF
folcoM forestM fortunatM fortunataF fortunatoM fortuneM fortuneeF foscaF foscoM fosterM fotimaF foucauldM foulquesM franaM franceF francesF francescaF
francescoM francetteF franciM franciaF franciscM franciscaF francisqueM franciszekM franjoM frankaF frankie franklinM frantiskaF franziskaF fredaF
fredericaF fredericoM frederikeF frederiqueF fredyM freemanM frejaF frenkieM fridaF fridoM fridolinM friederikeF friedrichM frontinianoM frusinaF
fruzsinaF fryderykM fulbertM fulbertoM fulcranM fuldemF fuldenF fulgenceM fulgenzioM fulviaF fulvioM fulyaF funaniM fundaF funmiladeN fureyyaF furioM
furkanM furmanM furseoM furuzanF fuscoloM fusunF fuzuliM gabinM gabinoM gaborM gabrielaF gabrielle gabrijelaF gadangM gadingM gadisF gaetanM gaetanoM
gaffarM gafforM gafurM gaglioffoM gaimanM gajaadharM gajabahuM gajanaF gajbaahuM galakM galangM galarM galateaF galdinoM galeazzoM galfrydM galileoM
galinaF galionoM gallicanoM galurM gamanM gamaniM gamantoM gambiraM gamblangM gamzeF ganakM ganakaM ganapatiM gandaM gandewaM gandharvM gandharvaM
gandiM gandolfoM ganepM ganeshM ganeshaF gangeshM gangsaM gangsarM ganjaranM gantarM garanM garanceF garangM gardaM gardnerM garfieldM garikM garikaF
garimbertoM garlandM garnet garnierM garrisonM garudM garudaM gasparM gaspardM gaspareM gasperM gastiF gastonM gastoneM gatienM gatikM gatotM gatraM
gaudenziaF gaudenzioM gaudinoM gauraangM gaurangaM gautamM gautamaM gautamiF gautierM gautieroM gavinoM gavrilM gavriloM gavxarF gawatiF gayatriF
gazanferM gbadeboNM gbeminiyiN gbemisolaN gbolahanNM gbowoadeNM geaninaF gedeonM gedeoneM gedertsM geetanjaliF gejzaM gelilaF gelin gelincik gellertM
gelsominaF geltrudeF gemineF geminiF geminianoM genadijM gencerM generalM generosaF generosoM genesiaF genesioM genesisF genevaF gennaroM genoveffaF
genovevaF gentaF gentianaF gentileM genzianoM geoffreyM geoffroyM georgM georgeM georgelM georgetaF georgetteF georgiaF georgianM georgianaF georgijeM
georginaF geovanniM geraldM geraldaF geraldinaF geraldineF gerardaF gerardinaF gerardoM gerasimM gerasimoM geraudM gerazimM gerbergeF gerbertM gerdaF
geremiaM gergelyM gergoM gerhardM gerhardaF gerinoM germainM germaine germanM germanaF germanoM gerolamoM geronimoM geronzioM gerritM gersonM gertrudF
gertrudaF gertrudeF gervaisM gervasioM gesualdoM gevheriM ghaliyatiF ghanaanandM ghanashyamM ghanshyamM gheorghiM gheorghitaM gherghinaF ghislainM
giacintaF giacintoM giacobbeM giacomoM giadaF giaderoM giambattistaM gianbattistaM giancarloM giandomenicoM gianfrancoM gianinaF gianlucaM gianluigiM
gianmarcoM gianmariaM gianmarioM giannaF gianniM gianpaoloM gianpieroM gianpietroM gianuarioM giasoneM gibranM giftyF gigliolaF gilangM gilbertaF
gilbertoM gildaF gildoM gilesM giliolaF gillianF ginetoM ginevraF gingerF gioacchinaF gioacchinoM giobbeM giobertoM giocondaF giocondoM gioeleM gioiaF
gionaM gionataM giordanoM giorgiaF giorgianM giorgianaF giorgioM giosueM giosueleM giottoM giovannaF gioveM gioventinoM giovenzioM girardoM girartM
girijaF girikM girikaM girindraM giriraajM girishM girjaF girolamoM giselaF gislebertM gisselleF giudaM giudittaF giuliaF giulianaF giulianoM giulioM
giulittaF giuseppaF giuseppeM giuseppinaF giustaF giustinianoM giustoM gizelaF gizemF gladyceF gladysF glaucoM glendaF glennaF glennieF gligorijeM
glorieF gobindaM godebertaF godfreyM godivaF goffredoM gojkoM gokalpM gokben gokboru gokceF gokcegol gokcen gokcicek gokmenM goknurF goksinF goldaF
golden goliaM golubM gombertoM goncaF goncaloM gondebaudM gondulfoM gonencM gonerioM gongorM gonsalwyM gonthierM gontranM gonulF gonzagaM gonzagueM
gonzaloM gopaalM gorakhanathaM gorakhnathM goranM goranaF gorankaF gorazdM gordanM gordanaF gordianoM gorkemM gorun gostoM goswameeM gothardM
gottardoM gottfriedM gotumM goundoF gourangaM goutamM govherF govindaM gozdeF graceF gracianM gracianaF gracieF gracielaF gracilianoM gracjaF
gradimirM gradyM grantM granvilleM gratianM gratianaF gratielaF gratoM grayceF graysonM graziaF grazianaF grazianoM graziellaF grazinaF gregoireM
gregorM gregoriaF gregorianM gregorioM gregoryM gretaF gretchenF grgurM griffinM grigoreM grigoriM grigorijeM grimaldoM griseldaF grizeldaF groverM
grozdanaF grzegorzM guadalupe gualbertoM gualtieroM gubioM gudakesaM gudriteF gudrunF guelfoM guendaF guendalinaF guenievreF guerinM guerrinoM
guglielmoM guherF guibertoM guidoM guilhemM guilhemineF guilhermeM guillemetteF guillerminaF guillermoM guiscardoM guiseppeM gulbaharF gulbaxorF
gulbenF gulchexraF gulcinF guldemF guldenF guldesteF gulegen gulemen gulenF guler gulgunF gulhanM gulistanF guljamolF guljaxonF gulnazF gulnoraF
gulnozaF gulomM guloyF gulpembeF gulrizF gulsenF gulserenF gulsoraF gulsumF gultekinM gulumser gulziraF gulzodaF gumesindoM gumus gunarsM guncicek
gundelindaF gundogdu gundogmus gunesF gungorF gunillaF gunizF gunnelF gunner gunnurF gunselF gunseliF gunterM gunyaruk gurbuzM gurcan gurdalM gurdevM
gurhanM gurolM gurselM gustavM gustavaF gustaveM gustavineF guusjeF guven guvenalpM guvercin guyotM gvendolinaF gvozdenM gwenaelleF gwendolineM
gwendolynF gyorgyM habbabM habibM habilM hacibM hadley hadrielM hadrienM hafidM hafizM hafsaF hagenM hairyantoM hajarF hakanM hakemM hakimM haldunM
haleighF halilM halimM halimaF halinaF halisM halitM halukM hamdiM hamdullahM hamedM hamidM hamidouM hamimaF hamishM hamitM hammadM hamsiniF hamzaM
handanF handeF hanefiM hangaF haniaF hanifaF hannabelF hanneleF hannesM hanspeterM hansruediM hansueliM hanusM haralambM haralambieM hardanaM
hardouinM hardyM harimurtiM harinakshiF harinarayanM haritaF harjaM harjasaM harjayaM harjoM harley harmonM harmonyF haroldM haronM harounM harounaM
harouneM harriet harsanaM harsantoM harsayaM hartakaM hartanaM hartoM harveyM hasekiM hasibiM hasimM hasinM haskellM hasmetM hasnaF hassaneM hastaM
hastalM hatemM hatipM hatoumaF hattabM haukeM havelM haven havlaF hawarM hayaliM hayatiM haydarM haydenM hazanF hazarM hazelF hazimM hazle heatherF
heavenF heberM hectorM hedelinM hedvigF hedvigaF hedvikaF heidrunF heinrichM heitorM helgaF helierM helinF helioM heliosM helmerM helmutM heloisaF
heloiseF hendersonM hendraM hendriM hendrikM hendrikaF hennesM henningM henriettaF henrietteF henrikeF henriqueM henrykaF heracleeaF herbertM
herbertaF herluinM hermenegildoM herminaF hermineF herminiaF herminioM hernanM hershelM hertaF herveM hesterF hestiF hevalM hicabiM hichamM hidayaF
hieronimM hifziM hikmatM hikmetM hilaireM hilalF hilarM hilarioM hilarionM hilariusM hilbertM hildaF hildebertM hildegardF hillardM hillary hillelM
hilmaF hilmiM hilolaF hiltonM himadriF himaniF himawanM himmetM hincmarM hipolitoM hippolyte hiramM hiranmayM hiranmayaM hiranyaF hisamM hizirM
hjalmarM hlengiweF hobartM hojimurodM holdenM hollis homerM homeroM honorM honoreM honorineF honoriusM horacM horaceM horacioM horacyM horatiuM horeaM
horiaM horstM hortenseF hortensiaF hortensieF hortenziaF hortenzieF horymirM horymiraF hoseaM hosiyatF hostimilM hostimilaF hostimirM hostimiraF
hostislavM hostislavaF hostivitM houstonM howellM hozanM hrvojM hrvojeM hrvojkaF huccetM hudavendigarM hudayiM hudsonM huguesM huguetteF huldaF hulkiM
hulusiM hulyaF humairaF humayunM humbertoM hunerF hunorM hunterM huriyeF hurkanM hurramM hurshidaF hursitM husameddinM husamettinM huseyinM husidaF
husnidaF husniyaF husnoraF husnuM husrevM husseinM huzeyfeM hvalimirM hvezdoslavM hvezdoslavaF hyacintM hyacintaF hymanM hynekM hypolitM iacobM
iacopoM iacoponeM iancuM ianinaF ianiraF ianosM iaroslavM iaroslavaF ibidapoNM ibironkeNF ibodullohM ibojaF ibrahimaM ibraniM ibrohimM ibukunoluwaN
icaroM icilioM iclalF idellaF idrisM idrissaM ieremiaM ifeanyichukwuN ifeoluwaN ifeomaN iforaF iginiaF iginioM iginoM ignacM ignacieF ignacioM ignacyM
ignatM ignataF ignatiusM ignazioM ignjatM igoriM ihsanM ihtiyorM ihvanM ikbal ikeme ikeoluwaNM ikhidieN ikhsanM ikicitoyun ikrimeM ikromM ilacin
ilanaF ilariaF ilarieM ilarioM ilarionM ilaydaF ilbilge ildebrandoM ildefonsoM ildegardaF ildegondaF ildikaF ildike ileanaF ileneF ileniaF ilgegu
ilgin ilgmarsM ilhamM ilhamiM ilhanM ilianM ilianaF ilianeM iliasM ilincaF iljanaF ilkbenF ilkerM ilknurF ilksenF ilkyazF illidioM illuminatoM ilmariM
ilmarsM ilonaF ilqarM ilyesM ilyosM imaneF imaniF imeldaF imeneF immacolataF immacolatoM immanuelM imogenF imogeneF imoleoluwaN imran imraneM imrem
imrichM imronM inanc inaraF inarsM incoronataF inderM indiraF indraM indrikisM indroM inesaF ingeborgF ingeborgaF ingmarsM ingridF ingridaF ingunaF
inioluwaNM inkeriF innocentM innocenteM innocentyM innocenzaF innocenzoM inocencM inocentiuM intanF inyoniF ioanaF ioaninaF ionelM ionelaF ioneliaF
ionicaM ionutM iorioM iosefinaF iosifM ippocrateM ippolitoM iraidaF irawatiF iremideN irenaF ireneF irenejM ireneoM ireneusM iretiN iretioluwaNF
irfanM irianaF irideF iridentaF irinaF irinc irinckol irinelM irisaF irmak irmeliF irminaF irnantoM irodaF irsadM irtis irvinM irvingM irwanM isabeau
isabelF isabelaF isabelleF isabellyF isaccoM isadoraF isadoreM isaiasM isaureF ischirioneM iseoluwaNM iseultF isholaNM isideF isidorM isidoraF
isidoreM isidoroM isidroM isilayF isinerM isiomaN isisaF islamM islomM ismaeleM ismailaM ismerieF ismetM ismoilM isobelF isoldaF isottaF issiakaM
istvanM italiaF italoM itunuoluwaN iulianM iuliuM iustinM iustinaF iustinianM ivancicaF ivankaF ivanoM ivetaF ivica ivonaF ivory ixtiyarM iyabodeNF
iyadunniNF iyanuoluwaN iyiktag iyinoluwaN izabelaF izaiasM izajaszM izidorM izidoraF izmaelM izoldaF iztokM izzettinM jabalM jabariM jabulileF jacekM
jaceyF jachymM jacintheF jacintoM jackelineF jacklynF jacobaF jacoboM jacobusM jacquelynF jaden jadesolaN jadonM jadranM jadranaF jadrankaF jadrankoM
jadroM jadwigaF jadyn jaemanM jagadishM jagadishaM jagapatiM jagaragaM jagathiM jagdeepM jagdishM jagicaF jagmeetM jahnuM jaiminiF jakaylaF jakovM
jakubM jakubaF jakubinaF jakubkaF jaleelM jalenM jalolM jalonM jalyn jamalM jamaliaF jamarM jamarcusM jamelM jamesonM jamilM jamirM jamiroM jamisonM
jamolM jamshidM janainaF janekM janelleF janessaF janetF janetaF janezM janicaF janiceF janinF janinaF janineF janis janiyaF janjaF jankaF jankoM
jannesM jannikM janoschM januszM japhetM jaquanM jaredM jarenM jarmilM jarmilaF jarneM jarnoM jarodM jarolimM jarolimaF jaromilM jaromiraF jaronM
jaroslavaF jarrellM jarretM jarvisM jarwaM jarwadiM jarwiM jasenM jasenkoM jasinM jasmaniM jasminF jasminaF jasmineF jasnaF jasnenaF jasonM jasperM
jassemM jassimM jasurM jaswadiM jatmikoM jaunitaF jautriteF javasM javlonM javohirM javonM javonteM jawadM jawedM jaxxM jayadiM jayden jaydonM jaylan
jaylanoM jaylenM jaylin jaylonM jaysonM jayvanoM jazepsM jazlynF jazminF jazmyneF jeanaF jeanetteF jeanieF jeanneF jeannelM jeannotM jedediahM
jedidiahM jeffereyM jefferyM jeffreyM jeffryM jeftaM jehanneF jekabsM jelenaF jelicaF jelisavetaF jelitaF jelkaF jelmerM jelteM jenelM jennings
jenovefaF jensen jenteF jeradM jeraldM jeramieM jerelM jeremiasM jergusM jermainM jermaineM jermeyM jernejM jerodM jeromyM jeronimoM jeronymM jerroldM
jerzyM jesikaF jesperM jesslynF jesusM jevgenijsM jevonM jevrosimaF jewelF jezdimirM jihaneF jiljiM jillianF jimenaF jimramM jinaneF jinawiM jindra
jindrichM jindriskaF jinteF jirinaF jitenderM jitendraM joachimM joakimM joanneF joany joaquimM joaquinM jocelyn jocelyneF joelinaF joelineF johanaF
johanneF johathanM johnathanM johnathonM johnny johnpaulM johnsonN jolanaF jolandaF jolantaF jolayemiN joleenF jonathonM jonteM jordan jordanaF
jordane jordiM jordonM jordynF jorgaF jorinM jorisM jorritM josefaF josefinF josefinaF josefineF josepM josetteF josiahM josianeF josipM josipaF
joskoM jourdainM jovanM jovanaF jovaniM jovankaF jovinM joyceF jozefaF jozefinaF jozicaF jozsefM juanaF juanitaF judgeM judicaelM juditaF juditeF
judsonM jugoslavM juhaniM julanM jules julianaF julianeF julideF julienM julienneF julietF julietaF julietteF julijsM julikaF julinaF julioM jumadiM
jumagulF jumariM junaydM juniorM juniusM junonF jurgisM jusmaF jusraF justeM justenM justice justinaF justineF justonM justusM jusufM juvenalM juwanM
juwonNM jyotiF jyotisM jyotsanaF kabilM kacey kacieF kacperM kacungM kademM kaderF kadiatouF kadidiaF kadidiatouF kadinM kadirM kadricanM kadriyeF
kaelynF kaganM kagisoM kahinaF kailashM kairavM kajenM kajetanM kaleaF kalenderM kalervoM kaleviM kalidouM kalimM kalindaF kalinikM kalistratM
kalpanaF kalyaniF kamalM kamalaF kamaleshM kamariaF kambaliM kamberM kamelM kamidinM kamilM kamilaF kamlaF kamleshM kamolM kamolaF kamoliddinM kamranM
kamuranF kanakM kanakaM kanchanF kanci kandaM kaniaF kanishkaF kannanM kannenM kantiF kapgar karahanM karak karamM karambaM karamokoM karanM kardiM
karelleF kargilac karianeF karimM karimahF karimanM karinaF karineF karjaM karligac karlisM karmaM karmanM karmelaF karna karolannF karolinaF karsaM
karsanaM karson kartaM karthikM kartikaF karunanidhiM karyaM kashyapM kashyapiF kasianM kasiranM kasiyahF kasperM kassimM kastorM kasusraM katarzynaF
katelinF katellF katerinaF katherynF kathleenF kathrineF katiaF katicaF katinaF katrinaF katun katunkiz kavonM kawacaM kawayaM kawtarF kayaalpM
kayacik kayden kayleighF kayliahF kaynak kazanc kazimM kazimierzM kazimirM kazimiraF kazkatun keaganM keanoM keanuM kearaF keatonM keeganM keenanM
keertiM kehindeN kekik keklik kelesM kellenM kelsiF keltonM kelvinM kelyanM kemalM kemalettinM kembaM kenanM kenariM kendall kendeM kendraF kendrickM
kenesM kenjiM kennedy kennithM kensiF kentonM kenyaF kenyatta kenyonM kenzaF kenziM kenzoM kepez kerametM keramiM keremM keremsahM kerenF kerimM
kerstinF keshaunM keshawnM kesme kessafM ketsiaF kevenM kevonM kevserF keyken kezlik kgabuM khadidjaF khadijaF khadimM khalidM khalifaM khalilM
khanyisileF khethiweF khoudiaF khulekaniF kianaF kiandraF kianoM kiaraF kieranM kikelomoNF kilianM kimberleyF kimberlyF kimiz kimizalma kimizalmila
kimizin kincsoF kingaF kiranaF kirazF kircicek kirgavul kiriloM kirlangic kirstinF kismetF kivanc kivilcim kiymetF kizdurmus kizilalma kjeldM
klarencjuszM klaudianM klaudie klaudiusM klavsM kleberM klemenM klementinaF kleopatraF klimentM klotyldaF kocerM koksalM kolawoleNM koletaF kolomanM
kolombinM kolombinaF kolosM kolumbanM kolumbinM kolumbinaF komilM komilaF komronM konradsM konstance konstancieF konstancjaF konstantinM konstantinsM
konstantyM konsuelaF konzuelaF kopano koraliaF korbinianM kordulaF koredeNM korinaF korkutM kornelM kornelie korneliusM kosmaM kosmasM kostaM krasavaF
krasomilM krasomilaF krasoslavM kresimirM kresomyslM krishnaM krishnadasM krishnadasaM krisjanisM kristaF kristanM kristenF kristiansM kristieF
kristin kristineF kristjanM krstoM krunoM krunoslavM kryspinM krystalF krystofM krzysztofM ksaweraF ksenofontM kubadM kubatM kubilayM kubraN kuburaN
kuddusiM kumarM kumariF kumruF kumudaF kumushF kuncaraM kunhutaF kuntharaM kurniaM kursadM kusumaM kutbettinM kuzmanM kvetaF kvetonM kvetosM
kvetoslavM kvetoslavaF kvetuseF kvidoM kwabenaM kwadwoM kwakuM kwameM kwamenaM kwasiM kwekuM kwesiM kwintynM kyleighF kylerM kyllikkiF laceyF lachlanM
lacramioaraF ladariusM ladinaF ladislaoM ladislauM ladislavaF lafayetteM lahnaF lajosM laksanaM lakshmanM lakshmiF lakshmidharM lakshminathM laksitaF
lalitaF lamarM lambertM lambertoM lamiaF lamineM lamiyeF lamontM lanangM lanceM lancelotM lancilottoM landenM landerM landolfoM landryM lanfrancoM
langaM langgengM lanjarM lantarM larasF larinaF larisaF laronM lascarM lasmaF lasmantoM lasmonoM lassanaM laswiM laszloM latifM latifaF latifeF
latikaF latofatF latoyaF lauraneF laureF laureen laurelF laurelineF laurenF laurencM laurence laurencieF laurencjaF laurencjuszM laureneF laurensM
laurentiaF laurentinoM laurentiuM laurentyM laurentynaF laurenzM laurettaF laurianM laurianeF laurianoM laurineF lautoneM lavadaF lavanyaF lavern
lavernaF laverneF lavinaF laviniaF lavinioM lavizeF lavon lavonneF lawrenceM lawrenciaF lawsonM lazarM lazareM lazaroM lazarzM lazizM leanaF leanderM
leandrM leandraF leandreM leandroM leanneF leanoM leartM leathaF ledionM leendertM legawaM lehnaF leilaniF lejlaF lelandM leliaF lemanF lembahM
lemideF lempiF lemuelM leniaF lenjaF lenkaF lennardM lennartM lennertM lennonM lennoxM lenoraF lenoreF leodegarM leokadieF leolaF leonaF leonardM
leonardoM leone leonelM leonhardM leoniF leoniaF leonidM leonida leonidasM leonidsM leonildaF leonioM leonisM leonorF leonoraF leonoreF leontinaF
leontineF leontynM leonzioM leopardoM leopoldM leopoldaF leopoldinaF leopoldineF leopoldoM leoraF leposavaF leratoF leroyM lerzanF lesanaF lesekM
lesleyF leslie lestariF lesterM leticiaF leticieF letitiaF letiziaF letterioM leufroyM levanaF leventM leventeM levinM levioM levkeF levoslavM lexiF
lexusF lianaF liaraF libenaF liberataF liberatoM liberatoreM libereM liberioM liberoM libertoM liboraF liboriaF liborioM liboslavM liboslavaF libusaF
libuseF liciaF lidaniaF lidioM lidmilaF lietaldM lieuweM ligiaF liksmaF lilanF lilasF lilianaF lilianeF lilienF lilithF liliyaF lillian lilwennF
limanM limarM lincolnM lindeF lindsayF linettF linneaF linoyF lintangF linwoodM lioaraF lionelM lioraF lironM lironeM lisandroM lisannF lisanneF
liselotteF lisetteF lisonF litalF liubaF liubovF liubovi liudmilaF liuseaF liviaF livianaF livinoM livioM liviuM liviusM lizbethF lizethF ljiljanaF
ljubaF ljubicaF ljubisaM ljubomirM ljudevitM llewellynM loaneF lobarF lodovicaF lodovicoM loganM lohanM loladeN lolitaF london longinM lonzoM loraineF
loredanaF loreen loreleiF lorellaF loren lorenaF lorencM lorenoM lorenzM lorenzaF lorenzoM loretaF lorianM lorianaF lorikM lorineF lorisM lornaF
lotarM lothaireM louaneF loubnaF louison lounisM lourencoM louveniaF lovisaF lovorkaF lovroM lowellM loyal loyceF luanaF lubicaF lubinM lubomiraF
luborM luboslavM luboslavaF lucentiuM luciaF lucianM lucianaF lucianoM lucicaF lucieF lucienM lucienneF lucijaF lucijanM lucillaF lucilleF lucindaF
lucioM luciusM lucjaF lucjanM lucretiaF lucretiuM lucreziaF ludanoM ludekM ludiseF ludivineF ludivojM ludkaF ludolpheM ludomilM ludomilaF ludomirM
ludomiraF ludoslavM ludoslavaF ludovicM ludovicaF ludovicoM ludovitM ludvikM ludvikaF ludwigM luhungM luigiM luigiaF luisaF luizaF luizeF lujzaF
lukasM lukhonaF lukitaM lukmanM lukrecieF lukreciusM lulutM luminitaF luminosaF lumirM lumiraF lungelo lunguM lurhurM lurlineF lutfanM lutfiyaF
lutfullahM lutfullohM lutherM luthfiM lutiborM lutoborM luwarM luwesM lwandleM lynetteF lyric maaikeF maartjeF maayaneF mabelF mabelaF mabelleF mableF
mabrukM macaireM macariaF macarioM maccabeoM maceoM maceyF macieF mackenzieF mactarM madalinaF madalineF madalyn maddalenaF maddisonF maddoxM
madeleineF madeliefF madelineF madelynF madgeF madhuriF madidM madilynF madinaF madisenF madisynF maditaF madlainaF madleenF madlenF madonnaF maeganF
mafaldaF maffeoM magaliF magdaF magdalenF magdalenaF maggiorinoM magnoM magnoliaF magueloneF maguetteF mahamadouM mahanM mahaultF mahautF mahdiM
mahendraM maherM mahesaM maheshM maheswarM mahfudM mahirM mahmutM mahrusM mahulenaF mahzanM mahzunM mailinF maimounaF maioricoM maissaneF maiwennF
majdaF majorM makanM makarM makaraM makaryM makaylaF makennaF makinwaN maksudM makutaM malachiM malakF malatiF malcoM maleaF malek malenaF maleneF
malgorzataF maliaF malikM malikaF malinF malinaF malindaF malisaM mallauryF malloryF maloneM maloxatF maltheM maltiF malvinaF malvineF mamadouM
mamadyM mamanM mamanteM mamertM mamoudouM mamourM manalF manarM manasseM mancaF mancioM mandaF mandaakinF mandakiniF mandlaM mandyF manel manelleF
manettoM manfredM manfredoM mangalaF mangalyaF manikM manikyaM manilM manilioM manishaF manjushaF manleyM manlioM manoahM manojM manoleM manonF
manonaF mansourM mansuetoM mansvetM manuelaF manueleM maphikelelaM maramF maranaF marasM maratM marceauM marceliM marcelinM marcelinaF marcelineF
marcelinoM marcelleF marcellusM marceloM marchetaF marciaF marcianoM marcinM marcisM marcosM mardonM mareikeF marekM maremeF marenF marenaF maretaF
margaF marganaM margareteF margarettaF margaridaF margaritaF margauxF margeF margersM margheritaF margieF margitF margitaF margoF margotF margretF
margritF margueriteF mariadiM mariamaF mariameF marianaF marianneF marianoM maribelF maricarmenF maricicaF mariekeF mariellaF marielleF mariemF
mariemeF marikaF marilenaF marilieF marilouF marilynF marilyneF marinM marineF marinellaF marinettaF marinkoM marinoM marinusM marioaraF mariolaF
marion marisM marisaF marisolF mariteF maritzaF mariucaF mariusM marjaF marjanM marjaneF marjattaF marjetaF marjolaineF marjorieF marketaF markikaF
marlaF marleeF marleen marlenF marlenaF marleneF marley marliesF marloM marlonM marnieF maroloM marosM marouaneM marquisM marquiseM marshaF marshallM
marsitoM marsudiM martakaM martanaM martaniM martenM martheF martialM martimM martinoM martinsM martonM martyM marufM marutM marutaF marvinM marwaF
marwanM marwataM marwenF maryantoM maryjaneF maryseF marziaF marzioM mashxuraF masinkaF masonM massambaM massimaF massimilianoM massimoM massinissaM
masudM matanM matarM matejM mateja mateoM mateuszM mathildeF mathisM mathurinM mathuysM matisseM matjazM matkoM matousM matronianoM matteaF mattesM
matthieuM mattiaM matyldaF maudeF maudieF maugisM mauraF maureenF mauricetteF mauricioM maurilioM maurineF mauritsM maurizioM mauroM maurycyM mavdudM
maverickM mavisF mavlonM mavludaF mawuenaF mawusiF maxbubaF maxellendeF maxenceM maxensM maxfuzaF maxi maximM maximaF maxime maximilianM maximilianoM
maximilienM maximillia maximoM maximusM maxineF maxmilianM maxsumaF maxwellM mayaneF maybellF maybelleF maylineF maynardM maysonM mazbutM mazharM
mazlumM mbalienhleF mckaylaF mckennaF mckenzieF meaganF mecislavM mecislavaF medardM medardoM medeaF medericM medinaF medineF medoroM medouneM medyaF
meenakshiF meganeF meghnadM meghnathM mehdiM mehmetM mehribanF mehtapF melaniaF melanieF melanioM melbaF melchiadeM melchiorM melchiorreM meldaF
melekF melenijaF melezioM meliaF melicharM melikeF meliksahM melinaF melindaF melisF melisandeF melissaF melissandreF melitaF melitinaF melnicF
melodyF meltemF melusineF melvilM melvinM melvinaF memduhM menakaF menardoM menceM mendelM menelaoM meneoM menkaF mennoneM menodoraF meralF mercedeF
mercedesF merciaF mercurioM meredithF merelF mereteF meriamF mericF meriemF merijnM merjemF merle merlin meroveeM merritt mertieF merveF mervinM
merwanM meryemF merylF messalinaF mestanM mesutM metelloM metinM metodM metodejM metraF metrofaneM mevlutM mhambiF micaelaF michaelaF michalM michalaF
michale michalinaF michealM michelangeloM michelineF midasM mihaelM mihaelaF mihailoM mihajloM mihalyM mihneaM mihribanF mikelisM miklosM mikolajM
mikolasM mikulasM miladaF miladinM milanaF milankaF milankoM milanoM mildredF milenaF milesM miletaM milfordM milhanM milicaF milikM milisavM milivojM
miljanM miljanaF miljenkoM milkaF miller millicentF milojicaM milomirM milonM miloradM miloslavaF milota milousM milovanM milovinM milredF miltonM
miluseF milutinM mindyF minervaF minervinaF minervinoM minkaF minodoraF mioaraF miodragM miomirM mirabelaF miracM miracleF miranM mirandaF mirazizM
mirceaM mireilleF mirekM mirelaF mireyaF miriamF miriamaF mirjaF mirjamF mirjanaF mirkaF mirkelamM mirkoM mirocletoM miromilM miromilaF mironM mironaF
miroslavaF mirtaF mirteF mirtilM mirunaF mirzaM mirziyoM misaelM misaeleM misbahM miskoM mislavM misraF missouriF mistyF mitarM mithatM miticaM mitjaM
mitra mitrutM mizgin mladanaF mladenM mnataM mnislavM mnislavaF mobolajiN moctarM modestM modestaF modestoM modiboM modriteF mofifoluwaNF mohamadouM
mohanM mohanaF mohinderM mohiniF mohirM moiraF moiseM moisesM moisetteF mojcaF mojisolaNF mojisoluwaNF mojmirM mojzeszM mojzisM mominM momirM momiraF
monaldoM monalisaF monde monitoreM monroe monserratF monserrate montana monteM montyM monvidsM moradekeNF morayoNF morenaF morenikeNF morenoM morgan
morganaF morganeF moriahF moricM morisM moritzM morneM morolakeNF mortimerM mortonM mosesM mosinmileoluwaNF mosunmolaNF motunrayoNF mouctarM
mouhamadouM mouhamethM moxidilF moxigulF moxinaF moxinurF moxiraF moyosoreNF mozell mozelleF mozesM mpiloM mpumeleloM msiziM mstislavM mthunzi
muammerM muattarF muaviyeM muazzamF mubinaF muditeF muesserF mufidM mufizM mugurM mugurelM muhammedM muharremM muhsinM muhtarM muhteremM muhtesemM
muhtorM muhyiddinM mujdatM mujdeF mujganF mujurM mukadderM mukaddesF mukerremM mukeshM muktediM muktedirM muktefiM mukulM mulyaM mulyantoM mulyonoM
mumpuniM mumtazM munevverF munifM munirM muratM murenM murielF murielaF muriloM murodM murphy mursininM mursitaM murtiM musawenkosiM musirM muslihM
mustafoM mustikaM mustofaM musulmonM mutahharM mutasimM muteberM mutemedM mutiaF muttalibM muyassarF muyiwaN muzaffarM muzafferM muzdadM muzianoM
myleneF myrnaF myrticeF myrtieF myrtilleF myrtisF myrtleF nabilM nabilaF nadalinaF nadegeF nadejdaF nadezdaF nadiaF nadineF nadirM nadziejaF nafizM
nagabhushanamM nahelM nahidM nahilM nahlaF najamM najibM najlaF najmiddinM najwaF nakia nalanF nalarM naliniF namazioM namikM nancyF nandaM nandiF
nandoM nandorM nanetaF naoufalM naoufelM napoleonM napoleoneM naradiM narayanM narcisM narcisaF narcisoM narcisseM nardiM narendraM nargizaF narimonM
narinF narinderM narjiM narseoM narseteM nasabM nasibaF nasirM nasriddinM nasrullahM nassimM nastjaF natachaF nataleM nataliaF natalinaF natanaelM
natashaF nathanialM nathanielM nathenM natiqM natkaF naudetM nauraF naval naveenM nawelF nawfelM nawrozM nazanF nazarioM nazariuszM nazaryM nazifM
nazimM nazliF nazmiM nazrullohM nazzarenoM nazzaroM ndleleniM ndondolozaF nebojsaM necatM necatiM necdetM nechiforM necibM neclaF necmettinM nedeljkoM
nedimM nedjeljkaF nedjeljkoM nedraF neeltjeF nefeliF nehemieM nehirF nehoslavM nejatM nejlaF neklanM neldaF neleaF neliaF nelioM nelsonM nemanjaM
nematullohM nenadM neomaF neonilaF neopoloM neoterioM nepomukM nereaF nereoM nergisF nergizF nermineF nesetM nesimM neslisahF nesrinF nesrineF nestorM
nestoreM nevenM nevenaF nevenkaF nevin nevioM nevraF nevzatM newellM newrozF newtonM nezamyslM nhlakaniphoF niameF nicanorM nicareteM niceaM niceforoM
nicephoreM nicetoM nicezioM nichiforM nicholasM nicholausM nicholeF niclaF nicoaraM nicodemoM nicodimM nicole nicoleenF nicolettaF nicoletteF
nicolineF nicoloM niconM niculinaF niculitaM nicusorM nicutaM nidiaF nienkeF nigarF nigoraF nihadM nihalF nihanF nihatM nikita niklausM niklavsM
nikodemM nikodemaF nikolF nikola nikolinaF niksaM nilamF nildeF nilgunF nilufarF nimakoahF nimasF nimitM nimrodM nineliF ninfaF ninianoM ninioluwaNF
ninonF nintheF nioumaF niranjanM nirbhayM nisanF nistimanM nivesF niyagaM niyaziM niyilolawaNM nizamettinM nizarM nizomM nizomiddinM njegomirkaF
nkanyeziM nkosenyeM nkosingiphileF nkosinhleM nkosiyaboM nnamdiN noamiF nobleM nodiraF noeliaF nofotoF nohamM nohanM noilaF nokuthulaF nolanM nolenM
nolhanM nolwaziF nomvulaF nonhlanhlaF nonjabuloF nonkululekoF noortjeF norbertM norbertaF norbertoM noreneF norhaneF noricaF norinaF normaF normandM
norrisM norvalM norwoodM nosirM nosirjonM nostrianoM nouraneF novakM novanM novellaF novianaF novitaF nozimaF noziphoF nqobile nrimaM nthabiseng
ntokozoF ntombizodwaF nubiaF nucciaF nudemF nugrahaM nukhetF numanM nunziataF nunzioM nuralF nuranF nurbekM nuredinM nurettinM nurgulF nurgunF nuriaF
nuriddinM nurlanM nurselF nurseliF nurulF nurullahM nusratM nusratullohM nusretM nyanaM nyasiaF nyomanM obanijesuNM obiomaN obradM obrenM oceaneF
octavM octaveM octaviaF octavianaF octavioM octaviuM oddoneM odeliaF odericoM odessaF odetaF odetteF odidoneM odileF odiliaF odilonM odolenM odoricoM
odunayoN ofelieF ofelyaF ognjanaF ognjenM ogooluwaNM oguzhanM ojarsM ojaswiniF okikiN oksanF oktamM oktavianM oktavieF oktaviusM oladaraN oladareNM
oladimejiNM olaideN olajumokeNF olakunleNM olamideN olanrewajuNM olansileNM olaoluwaN olasunmboNF olatunbosunN olaviM olayinkaN olbramM oldriskaF
olegsM oleksandrM olenaF oleseaF oletaF olgertsM olgicaF oligaF olimpiadaF olimpianM olimpioM olimpiuM olindaF olindoM olivaF oliveF oliveraF oliviaF
olivieF olivierM olivieraF olivieroM oliviuM ololadeNF olufeyisayoN olufunkeNF olufunmiN olufunmilayoNF olumideN olumorotimiNM olusolaN olutomiwaN
oluwafemiNM oluwagbemigaNM oluwakemiNF oluwamumiboriNM oluwamuyiwaNM oluwasanmiNM oluwasegunNM oluwasemiloreN oluwaseyiN oluwatimilehinN
oluwatobilobaN oluwatofunmiN oluwatosinN oluwatoyosiN oluwatumiseN oluwoleNM oluwunmiN olympeF olympiaF olympieF omanaF omariM omawunmiN ombelineF
omblineF ombrettaF omeroM ominaF omobobolaNM omobolanleNF omodunniNF omolabakeNF omolaraN omololaN omosalewaNF omotaraNF omotayoNM omotolaNF
omotolaniN omotounNF omowumiNF onderM ondinaF ondineF ondrejkaF onestaF onestoM onofrioM onorataF onorinaF onorinoM onorioM onoriodeN onufryM oormilaF
opalinaF opalineF opemipoN opeoluwaN opungM orazioM orchideaF orenzioM oreofeNF orestM oresteM orestesM orfeoM orhanM orianaF oriandeF orianeF
oriettaF orionM orlandM orlandoM orlaneF ornellaF oronzoM orsinoM orsolaF orsolinaF ortansaF ortensiaF ortensioM orvalM orvilleM orvokkiF osannaF
osbaldoM osborneM oskariM osmanM osmondoM osmundM ostojaM osunlekeNM osvaldM otabekM otakarM otakaraF otelloM othmaneM otiliaF otilieF otkirM otmarM
otokarM otomarM ottavianoM ottavioM ottoneM oumayraF ousmaneM oussamaM ovidioM ovidiuM ovidiusM oxanaF oybekM oyenikeNF oyindamolaN oyindasolaNF
oynurF ozanaF ozanneF ozcanM ozden ozellaF ozgurM ozlemF ozlenF oznurF ozodaF ozodbekM ozrenM pacianoM pacificoM pacomeM pacomioM padmaF padmiF
paimanM pakizeF palatinoM palemonM palladiaF palladioM palmaF palmazioF palmiraF palmiroM palomaF pamelaF pamfilM pammachioM panagachieM panaitM
pancarioM pancrazioM panduM panfiloM pangeranM pangestuM panjiM panka pankracM pankracyM pansyF pantaleoM pantaleonM pantaleoneM pantelei paolaF
paoloM paramM paramarthaM paramitaF paraschivaF parascoviaF pardiM pardoM parfaitM parideM paris parkerM parlaF parmanM parmenioM parsivalM parslaF
parvatiF pascaleF paskalM paskalaF pasqualeM paterneM paternianoM patienceF patriciaF patricieF patricijaF patriziaF patrizioM patrocloM patruM
patrycjaF patrycjuszM patrycyM pauleF pauletteF paulicaF paulin paulinaF paulineF pauloM pausideM pavicaF pavilsM pavlaF pavleM pavlinM pavlinaF
paxton payidarM payton pearlF pearlieF pearlineF pecineF pelagiaF pelagieF peleoM pelhrimM pelinF pelinsuF pellegrinoM pelumiN pembeF pendaF penelopaF
penelopeF pepinM percevalM percivalM percyM pericaM pericleM perihanF periklesM perkasaM perlaF perleF pernillaF perranF perrineF perseoM persidaF
pertevM perunaF perverM pervinF perzidaF petarM petekF peterisM petkoM petraF petranaF petreM petriM petricaM petrijaF petrisorM petronelaF petronilaF
petronilleF petronioM petroniusM petruM petruseF petrutM petrutaF petteriM petulaF peyamiM pharellM philaniM phileasM phileineF philineF philippineF
philomeneF philothee phiwokwakheM phoenixM phyllisF pierangeloM pierceM piergiorgioM pierluigiM piermarcoM pierrickM piersilvioM pieterM pietroM
pilarF pinarF pinkieF piotrM piperF pirjoF pirkkoF placidaF placidoM platonM platoneM pleunF plinioM plutarcoM polidoroM polifemoM polinaF polissenaF
pollioneM polonaF polykarpM polyxenaF pompeoM pompiliaF pompiliuM pomponioM pontusM ponzianoM ponzioM poornimaF porfirioM porfiriuszM porfiryM porterM
porziaF porzianoM postumioM prabaM prabawaM prabowoM prabuM prakosaM pramilaF pranataM pranawaM pranayM prasadM prasannaF prascoviaF prasetyaM
prasetyoM prassedeM prathameshM pratiwiF pravdanM pravdomilM pravdomilaF pravomilM pravomilaF pravoslav pravoslavaF prayagM prayitnaM prayogaM
prayogoM predragM preityF premaF premyslM presley prestonM priamoM pribyslavM pribyslavaF priceM primaM primeroseF primoM primozM princeM princessF
priscilleF priscoM priskaF pritaF privatoM priyalaF procopioM profiraF proklesM prokopM prokopaF prokulM promiseM proserpinaF prosperM prosperaF
prosperoM protasioM proteoM providenci prudenceF prudenziaF prudenzioM pruneF prvoslavM publioM pulcherieF puneetM pupoloM puputF purushottamM purwaM
purwadiM purwantoM pushtiF pusicioM puspaF puspitaF putriF qizilgulF qobilM qosimM quartillaF quartoM quasimodoM qudratM queenieF quentinM quentineF
queranoM quietaF quincyM quintenM quintiaF quintilianoM quintilioM quintinoM quintonM quintyF quinzianoM quinzioM quirinM quirinoM quiteriaF
quitterieF rabiaF rachelaF rachelleF rachidM radanM radanaF radegastM radekM radekeNF radenM radenkoM radhostM radikaM radimirM radimiraF radinaF
radionM radisaM radislavM radislavaF raditM radityaM radivojM radivojeM radkaF radkoM radmilM radmilaF radmiloM radojkaF radolfoM radomilM radomilaF
radomirM radomiraF radosM radosavM radoslavM radoslavaF radovanM radovanaF radslavaF raducuM radulM raduzM radvanM rafaelaF rafalM rafetM rafidM
rafilaF rafiqM rageshwariF raharjaM rahayuF raheemM rahelF rahimeF rahmaF rahmanM rahmatM rahmawatiF rahmi rahsaan rahulM raihan raimondoM raimundM
rainaldM rainaldoM raineldaF rainerM rainhardM rainoldM rajabM rajanM rajanaF rajendraM rajinderF rajivM rajkoM rajmundM rajnaF rajnoldM rajsaF
rakeshM rakipM rakitaF raleigh ralucaF ramataF ramatoulayeF ramazanM rameshM rameshwarM ramiroM ramizM ramonaF ramziddinM ramziyaF randalM randi
randolfM ranekM ranggaM raniaF ranieroM ranimF ranjeetM rankoM ranolfoM ransomM raphaelle rapulane raquelF raresM rashadM rashawnM rasheedM rasheedahN
rasifaF rasimM rasitM raskoM rasmusM rastislavM rastislavaF ratiborM ratimirM ratmirM ratnaF ravenF ravshanM rawaneF raxmatullohM rayaneM raymondeF
raymundoM rayonaF rayxonaF rayyanM razvanM reagan reannaF recepM redmondM refetM refikM regan reginaldM reginaldoM regineF regisM regitzeF regnarsM
regoloM regulaF rehorM rehorkaF reinholdM rejanM rejeanM rejeanneF reksaM reljaM remigM remigioM remilekunN remingtonM remusM remziM renarsM renasF
renatM renataF renateF renatoM renaudM rendyM renetteF renginF renjaF renskeF renzoM resadM resatM residM respatiM respicioM restuF resulM retnoF
reubenM reybaudM rezzanF rhiannaF rhiannonF rhodaF rhondaF rianaF ricardsM ricarioM riccardaF richardaF richelmoM richmondM rickardM ridwanM rifatM
rifkiM rigardM rigobertoM rinaldoM ristanaF riteshM ritvaF river rivkaF rizkiM rizvonM robaldoM robertaF robertinaF robin robinaF robinsonM robiyaF
rochelleF rocioF rodanM roderikM rodgerM rodianoM rodicaF rodionM rodneyM rodolfoM rodoljubM rodolpheM rodrickM rodrigoM rodrigueM rogelioM rogersM
rohanM rohanaF rohitM rokhayaF rokiaF rolandeF rolandoM rolfoM rollinM romainM romaine romanaF romaneF romanitaF romanoM romansM romeoM romeroM romeuM
romildaF rominaF romoaldoM romolaF romoloM romualdM romualdoM romulM romulusM ronak ronaldM ronaldoM ronanM ronjaF rooseveltM rosaliaF rosalieF
rosalinaF rosalindF rosalindaF rosalynF rosamondF rosamundaF rosan rosanaF rosario roscoeM roselineF rosellaF roselyn rosemarieF rosendoM roserF
rosettaF rosinaF rositaF roslynF rosmanM rosmundaF rostislavM rostislavaF rotaruF rotimiN rovenaF roverM rowan rowlandM roxanaF roxaneF roxelanaF
roxyF royal royceM rozaliaF rozalieF rozalindaF rozamundaF rozanaF rozellaF rozinaF rozitaF roziyaF rozvitaF rubenM rubianoM rubyeF ruchanM rudisM
ruditeF rudolfaF rudolfinaF rudolfsM rudraM rufinaF rufinoM rufusM ruggeroM ruhsarF rukenF rukhmaniF rukminF rukneddinM rumenaF rupertM rupertoM
rupinderF ruprechtM rusinsM ruslanM ruslanaF rusmanM rustamM rustuM rustyM rutiloM ruxandaF ruxandraF ruzenaF ruzicaF ryderM rylanM ryleighF ryszardM
saadatM sabanM sabarM sabatoM sabazioM sabeleM sabinM sabinaF sabineF sabinoM sabirM saboxatF saboxonF sabriM sabrinaF sabrineF sachinM sacidM sadanM
sadarM sadberkM sadettinM sadikM sadinaF sadio sadoqatF sadriM sadriddinM sadullahM sadullohM sadyeF saffetM saffiroM safiatouF safietouF safinaF
safirM safouanM safouaneM saftaF safuraF sagarM sahapM sahinM sahinalpM sahraF sahsuvarM saifulM sakariM sakinaF sakipM sakirM sakuraF saladinoM
salamounM salifM salimM salimahF salimataF salimatouF saliouM salmaF salmanM salome salomeaF salomenaF salomonM salomoneM salomounM salsabilaF
salustioM salvadorM salvatoreM salvoM salwaF salwatorM samandarM samanthaF samaraF sambaM samedM samiaF samilM samimM saminaF samirM samiraF samonaF
samsulM samuelaF samueleM samukelisiweF sanchoM sandaF sanderM sandorM sandraF sandrineF sandroM sanduM sandyF sanemF sanfordM sanjaF sanjayM sanjinM
sankaM sanobarF sansoneM santaF santeM santiagoM santinaF santinoM santoM santosM sanzianaF saodatF saphiraF sapienteM saradaF saralaF saraniM
saraswatiF sarbelloM sardorM sarinaF sarishaF sarkaF sarlaF sarlotaF sarmiteF sarojaF sartikaF sarvarM sarvinM sarvinozF saskiaF saskieF satineF
satishM saturnianoM saturninM saturninoM satyaM satyenM saulceriteF sauveurM savanahF savasM savelM saverioM savetaF savinM savinaF savinienM savinoM
savionM saxidaF saxonaF sayyoraF scholastikaF scholastique schuyler scolasticaF scottie seamusM sebasM sebastianM sebastianaF sebastianoM sebastiaoM
sebastienM sebastjanM sebestianM sebineF sebnemF secaeddinM seckinM secondaF secondianoM secondinaF secondoM sedatM sedefF sedenF seferM sefikM
segilolaNF segoleneF seherF sehleventM sehrazatF sehriyarM sekinatN selahattinM selaleF selamiM selcanF selcukM seldaF selen selenaF seleneF selimM
selin selmaF selmerM selvaggiaF selviF semenicaF semionM semiramideF semplicioM sempronioM semraF semsiM senerM senesioM sengulF sennurF senofonteM
senolM sentaF sephoraF septiF serafettinM serafimM serafimaF serafinM serafinaF serafinoM serapF serapioneM serbanM serbulentM serdarM serefM serenaF
serenityF serenusM sergejM sergenM sergiM sergiuM sergiuszM serhadM serhat serifM serinF serineF sermetM serminF serpilF sertacM sertapF servacM
servanM serverM servidioM servilianoM sestoM settarM settimioM settimoM setyaM sevalF sevaraF sevdaF severM severaF severianoM severinM severinaF
severineF severinoM severoM sevgiF sevilF sevimF sevincF sevketM sevkiM sevtapF sexmusM seybanM seyfettinM seyfullahM seynabouF sfisoM shahbozM
shahobiddinM shahriyorM shahzodM shakilaF shakiraF shakti shakuntalaF shalewaN shamsiddinM shanelF shanelle shaniaF shaniceF shankarM shanon shantanuM
shantiF shardaF sharmilaF sharonF shashikalaF shawnaF shekoniNM sheldonM shemarM sheridan sherlyF shermanM sherwoodM sherylF sherzodM shirelF shirleyF
shivakariF shobhanaF shodiyorM shresthF shresthiF shreyashiF shrideviF shrishtiF shubhaF shubhapradaF shukrullohM shyanneF sianaF sibelF sibongileF
sibusisoM sibylF sibylaF sibylleF sicuroM siddarthM siddhranM sidiqM sidkiM sidney sidoineM sidonM sidoniaF sidonieF sidonioM sidraF sifisoM sigebertM
sigfridM sigfridoM sigismondM sigismondoM sigmundM signeF sigridF sihabM sihabeddinM sihemF sijuadeNM silanF silasM siljaF siljeF silkeF silvanM
silvanaF silvanoM silvereM silverioM silvestrM silvestroM silvianM silvianaF silvioM silviuM silviusM simaoM simeaF simen simeonM simeonaF simeoneM
simgeF similoluwaNF siminaF simionM simonaF simone simonettaF simonidaF sinanM sinasiM sincere sindisiweF sindreM sinemF sinenhlanhlaF sinesioM
sinfronioM sinikka sinisaM sinjaF sinklerM sipan siphepheloF siphiweM sirenoM siriaF sirianoM siricioM sirinF sirineuM sirioM sirojiddinM siskaF
sisterF sistoM sitaraF sithembisoM sixtM sixteM sixtineF sixtusM siyandaM sizakeleF sizaniF sjoerdM sjorsM skaidriteF skanderM skarletF skarletaF
skippedF skylaF skylar sladanaF slametM slavaF slavekM slavenM slavenaF slavibojM slaviborM slavicaF slavkaF slavkoM slavobojM slavojM slavoljubM
slavomilM slavomilaF slavomirM slavomiraF slobodanM slobodankaF slokaF smarandaF smeraldaF smiljanaF smillaF smitaF smritiF snameN snejanaF snezanaF
snjezanaF soaveF sobeslavM sobeslavaF sobitM soccorsoM socrateM sodiqM sofiaF sofianeM sofroniaF sofronieF sohanM sohaneF sohibM sokhnaF sokratM
solalM solangeF soledadF soleneF solennF solineF soloconeM solonM solveigF solveigaF somnathM sondreM songulF sonjaF sonkeM soranaF sorayaF sorinM
sorinaF sosteneM sosteneoM sostratoM soterM sotiraF souleymanM souleymaneM soumayaF sowandeNF spanoM spartacoM spelaF spencerM sperantaF speranzaF
speranzioM spidolaF spiridonM spirydionM spytihnevM srboljubM sreckoM sredojeM staceyF stacyF stanaF stancaF stancuM stanfordM stanimirM stanislaoM
stanislasM stanislavaF stankoM stanleyM stantonM stasaF stastaM stazaF steeveM stefanaF stefanieF stefanoM stelianM stelianaF stelutaF stepanM
stepanaF stepanidaF stepankaF stephaansM stephaniaF stephonM sterlingM sterreF stevanM stevie stilianoM stinaF stineF stipanM stipeM stiriacoM
stjepanM stojanM stojankaF stojmirM stoneM stormM strahinjaM striborM stuartM subhashM subhashiniF subhiM subodhM subomiNF suchetaF sudevaF suelenF
suheylM suhrobM sujataF sukanyaF sukruM sulaymonM sultonM sumanM sumitraF summerF suncicaF sunitaF sunnivaF suranoM sureshM sururiM suryaM suryakantM
suryakantaM suryakantamF susheelM sushmaF suyunaF suzanF suzanaF suzanneF suzonF svatavaF svatobojM svatoborM svatomirM svatoplukM svatoslavM
svatoslavaF sveatoslavM sveborM svendM svenjaF svetislavM svetlaF svetlana svetluseF svetolikM svetomirM svetoslavM svetozarM svevaF svitlanaF
sviturnoM swamiM swapnilM swaraF swarnalataF swassaneF swetaF syahriniF sybleF sydneeF sylvaF sylvesterM sylvestreM sylvianeF szabolcsM szczepanM
tabeaF tabithaF tabrisM taceddinM tacjanaF tadeasM tadejM tadeoM tadijaM tahirM tahliaF tahsinM taisiaF talatM taleaF talhaM taliaF talipM talisM
talitaF talivaldisM talonM talritsM tamaraF tamasM tamerM tamiaF taminaF taminoM tammaroM tancredeM tancrediM tanguyM tanirikaF tanjaF tanjuM tankredM
tannerM tansuF tantriF tanushreeF tanyaF tanyeliF tapanM tapaniM tapioM tarasM tarcisioM tarikM tarkanM tarquiniaF tarsillaF tarsoM tarunM tarynF
tasdikM taskinM tasnim tasnimeF taswirM tatanaF tatjanaF tatumF tatyanaF taufanM taufikM taureanM taurinM tavaresM tayfunM taylerM taylor tayyarM
tazianaF tazianoM tazioM teagan tejasM tejumolaN tekinM tekinalpM teklaF telchideM telemacoM telicaF tellervoF temelM temidayoNM temistocleM temitopeN
teobaldM teobaldoM teodataF teodolindaF teodoraF teodorikM teodoroM teodosiaF teodosioM teodotoM teodozM teodozieF teofanM teofilM teofilaF teogeneM
teohariM teomanM teonaF terencM terenceM terenciusM terencjuszM terenzioM terezaF terezeF tereziaF terezieF terlanM terranceM terrellM terrillM
tertulianoM terzoM tesauroM tesifonteM tesnimF tesnimeF tetianaF teudosiaF tevfikM tevhidM tevinM tezcanM tezelM tezerF thabisaF thaddeusM thamsanqaM
thandoM thaninaF thelmaF thembaM theodoreM theodoseM theodosieF theophaneM theophileM theophrasteM theotimeM thereseF theresiaF theronM theunisM
theunsM thibaudM thibaultM thibautM thibertM thiernoM thijmenM thirzaF thobekaF thorbenM thorgeM thulaniM thulisileF thurmanM tiagoM tianaF tiaraF
tibaldoM tiberM tiberiaF tiberioM tiberiuM tiberiusM tiburciusM tiburzioM tichomilM tichomirM tichonM ticoneM tidianeM tiffanyF tiguidaF tihomirM
tildaF tilenM tilioM tillmannM timbulM timeaF timeoM timofeiM timoleonM timonM timotejM timoteoM timoteusM timotheM timothyM timurM tinasM tincaF
tincutaF tiphaineF tirilF tirtaM tirtayasaM titien titilayoN titilopeN titouanM titusM tizianM tizianaF tizianoM tizioM tjarkM tjasaF tobiaM tobiasM
tobilobaN tobinM todorM tohirM tokunboNM tolgaM tolomeoM tolqinM tolunayM toluwalopeN toluwaniN toluwanimiNF tomasaF tomaskaF tomazM tomilobaN
tomislavM tomislavaF tomkeF tommasoM tomoriNM tonciM toncicaF tonkaF tonkoM tonninM tonyaF torkvatM torquatoM torranceM toscaneF toscoM toskaF
toussaintM traceM traceyF traci traianM trajanM tranquilloM traseaF travisM travonM tremaineM trentM trentonM tressaF tressieF trevaF treverM trevionM
trevorM triciaF trilochanM trilochanaM trilokM trilokanathM trilokeshM trilokiM trineF trinityF trishaF tristanM tristanoM tristianM tristin tristonM
troelsM trofimM trpimirM trpkoM trudieF tsabitaF tsiporaF tuanaF tudorM tudoraF tudoritaF tudosiaF tufanM tugbaF tugimanM tugolF tugrulM tugtekinM
tuhfeM tulinF tulliaF tullianoM tullioM tumerM tunahanM tunarM tuncerM tuomasM turanM turgayM turgutM turibioM turkanF turkayM turkerM turkesM turnaF
turnerM turoldM tusharM tussioM tutkuF tuulikkiF tvrtkoM twilaF tybaltM tylerM tyreekM tyrelM tyreseM tyriqueM tyronM tyroneM tyshawnM tysonM ubaldoM
ubaydullohM ubertinoM ubertoM uchitaF uchqunM ugolinaF ugolinoM uguccioneM ujjawalM ujjwalM ulbertoM uldericoM ulduzF ulfetF ulgenM ulianaF ulicesM
ulivaF ulker ulpianoM ulricoM ulrikM ulrikaF ulstanoM ultimoM ulugbekM uluthandoF ulviyyeF ulwaziF ulysseM umangM umbertoM umidaF umidullohM umileM
umranF umuralpM undineF unggulM unique unjaniF unselF unseliF upendraM uptonM uqbaloyF uranioM urbainM urban urbanoM urdinoM urfonM urieleM ursicioM
ursinoM urskaF ursmaroM ursuleF usameM usmanM usmonM utamaM uzbegimF uzeyirM uzodimmaN vaclavaF vadimM vahdetM vahideF vaidehiF vaijayanthiF
vaishnaviF vaishnoF vaishviF valburgaF valdemarM valdemaraF valdemarsM valenteM valentimM valentinM valentinaF valentine valentinoM valentinsM valerM
valeraF valereM valeriaF valerianM valerianaF valerianoM valericoM valerie valerijsM valerioM valeriu valfredoM valfridoM valtenaM valtrM valtteriM
vanceM vandaF vanessaF vaniaF vanjaM varalakshmiF varvaraF vasantiF vascoM vasilM vasileM vasiliM vasilica vasilinaF vasilisaF vasjaM vasliddinF
vasudevM vasudevaM vasudhaF vasundharaF vatroslavM vaughnM vavrinecM veaceslav vecdiM veceaslavM veceslavM vedangM vedangaM vedanshiF vedastoM vedatM
vedranM vedranaF vedunaF veerleF vefikM vehbiM velanaF velaphiM veldaF veleslavM veleslavaF veliborM velimirM velimiraF velinaF velioM velislavM
velislavaF velmaF velvaF venanceM venanzioM vencelM venceslaoM venceslasM venceslavM venceslavaF vendelinM vendelinaF vendulaF vendulkaF venekM
veneraF venerandaF venerandoM venereF venerioM veniaminM venkaF venturaM venuseF venustaF venustianoM venustoM veranoM verdaF verdianaF verdieF
verecondoM verenaF verenzioM vergieF vergiliuM verginiaF verianaF vericaF veridianaF verlaF verlieF vernaF verniceF vernie vernonM veronaF veronikaF
veroniqueF veroslavM veroslavaF veruloM veselinkaF vesileF veslavaF vesmaF vesnaF vespasianoM vesperF vestaF vezioM vianneyM vibekeF vicdanF vicentaF
vicentiaF vicentiuM victoireF vidakM vidalM vidhurM vidianoM vidoneM vidorM vidya vieroslavaF vigileM vijekoM vijoliteF viktorieF viktorinM vildanF
vildeF vilemaF vileminaF vilhelmM vilianaF vilibaldM vilibertoM viljemM vilmarM vilmarsM vilmosM vimalM vimalaF vinceM vincencM vincencieF vincentiuM
vincenzaF vincenzoM vincianeF vindonioM vinebaldoM vinfridoM vinicioM vinkaF vinsenM violaF violanteF violetF violetaF violetteF violinaF viorelM
viorelaF vioreliaF vioricaF viragF virgieF virgilM virgileM virgilioM virgiliuM virginM virginiaF virginieF virginioM virmanM vironeM visarionM
viscardoM vishnuM vishwamitraM visnjaF vissiaF vitalM vitaleM vitaliM vitaliaF vitalicoM vitalijsM vitalinaF vitazoslavM vitezslavM vitezslavaF
vitoldM vitorM vitoslavM vittoreM vittoriaF vittorianoM vittorioM vitusM vivaldoM vivian vivianaF vivianeF vivianoM vivien vivienneF vizbuliteF
vjekoslavM vjenceslavM vladaF vladanM vladanaF vladekM vladenaF vladilenaF vladimerM vladimiraF vladimiroM vladislavM vladislavaF vladivojM vladlenM
vladlenaF vladoM vlaicuM vlastimilaF vlastimirM vlastimiraF vlastislavM vlastislavaF vlatkaF vlatkoM vodingoM voichitaF voicuM vojenM vojinM
vojislavaF vojmilM vojmirM vojmiraF vojslavM vojslavaF vojtechM vojteskaF voldemarsM volfangoM volfgangM volkanM vorsilaF vosilM vratislavM
vratislavaF vratkoM vreniF vrindaF vrundF vsebojM vseborM vseradM vseslavM vsevolodM vujadinM vujicaF vukanM vukasinM vukicaF vukotaM vulmaroM
vulpianoM vuslatF vusumuziM wahyuM wakimanM waldoM walentyM waleranM walgierzM walidM walkerM wallaceM waltonM waluyoM wandrilleM wannesM waqilaF
wardayaM wardiM warjiM warleyM warsaM warsitaM wartaM washingtonM wasisM wassimM watsonM wawanM wawrzyniecM waylonM websterM welat weldonM wellingtonM
wendeF wendellM wendyF wesleyM wesselM westleyM westonM whitneyF wiaraF wibkeF wilberM wilbertM wilburM wilburnM wilfordM wilfredM wilfredoM wilfridM
wilhelminaF wilhelmineF willardM willemM willisM willowF wilmaF wilmerM wilsonM wiltonM wincentyM windaF winfieldM winifredF winonaF winstonM wirdaF
wissamF wissemM wlodzimierzM woodrowM wulanF wulandariF wuraolaNF wymanM xalimaF xananaM xanderM xatunF xaverM xaverie xaveriusM xaviM xavierM
xaviereF xebatM xeniaF xenieF xenophonM xezalF xochitlF xzavierM yacine yacoubaM yadiraF yagizM yagmurF yahyaM yahyoM yakubuN yalcinM yalginM yamanM
yamilethF yaminaF yanceF yangoM yannicM yannisM yaprakF yarenF yaretziF yaronM yasarM yaseminF yasinM yasminF yasminaF yasmineF yasserM yassirM yavuzM
yazidM yazminF yejideNF yekta yeldaF yelizF yenerM yentheF yeseniaF yesimF yetkinM yetundeNF yewandeNF yibanathiF yildirimM yildizF yilmazM yogendraM
yogeshM yoginderM yohanM yolandaF yolandeF yoncaF yoqubM yorbekM yorqinM yoshikoF yosraF yosunF youmnaF younesM yousraF youssefM youssouphaM yozidaF
yoznurM ysalineF yucelM yukselM yuliaF yulianaF yumniM yunitaF yunusM yusivM yvonne zabedeoM zabinaF zabirM zabojM zaccheoM zacharM zachariasM
zacharyM zacheryM zackaryM zackeryM zadigM zafarM zaferM zafirM zaharM zaharia zahideF zahirM zahitM zakariaM zakelinaF zakirM zalanM zalindraF
zamfirM zamfiraF zamirM zamiraF zanderM zaneleF zanetaF zaneteF zanisM zanitaF zanobiM zarazaF zariaF zarijeM zarinaF zarkoM zavidaF zavisM zaynebF
zayniddinM zbislavM zbyhnevM zbyhnevaF zbynekM zbynkaF zbysekM zbyskaF zbyslavaF zdanaF zdenaF zdenkaF zdenkoM zderadM zdeslavM zdeslavaF zdiradM
zdislavM zdislavaF zdravkoM zechariahM zefiroM zehraF zejnepF zekeriyyaM zekiyeF zelayaF zeldaF zeliborM zelihaF zelimirM zelimiraF zelindaF zelislavM
zelislavaF zeljkaF zeljkoM zelmaF zelmirM zelmiraF zeltiteF zenaideM zenebioM zenijaF zenobiaF zenobieF zenobioM zenonM zenoneM zenoviaF zenteM
zenzeleM zephirinM zephyrM zerdestM zerrinF zeryaF zetenyM zeticoM zeynelM zeynepF ziediteF zigfridaF zigfridsM zigmarsM zigmundM zigridaF zihniM
zikmundM zilan zilolaF zinaidaF zinebF zinedineM zinoviaF zithuleleM zitomirM zitomiraF zitoslavM zitoslavaF zivanM zivanaF ziverM ziyanda zlataF
zlatanM zlaticaF zlatkaF zlatkoM zlatomirM zlatomiraF zlatuseF zobuhleF zofiaF zohidM zohirM zohraF zoilaF zoiloM zokirM zoltanM zoranM zoranaF
zorinaF zorkaF zoroslavM zoroslavaF zosimM zosimaF zosimoM zrinislavM zrinkoM zselykeF zsofiaF zsoltM zsomborM zubeydeF zubeyrM zubiteF zuhalF zulalF
zuleyhaF zulfaF zulfikarM zumrutF zuxraF zvezdanaF zvonimirM zvonimiraF zvonkoM zygmuntM
`;
