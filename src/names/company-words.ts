/**
 * Words in names of organizations that say little about which one it is. Companies of Nigeria and of the sanctions lists share most of them.
 */

/** Legal forms, in the spelling that remains once points and marks are gone. They are left out of every comparison. */
export const LEGAL_FORMS = `
limited ltd limted ltda limitada llc llp lp plc gte inc incorporated corp corporation co company companies cie coy pjsc ojsc cjsc jsc ooo oao zao pao ao
tov tzov tzdov chup oono fgup fgbu gmbh mbh ag kg kgaa ohg ug sa sas sarl sarlu suarl eurl snc sca scs spa srl sl slu sau cv nv bv bvba vof ab asa aps oy
oyj sia uab doo ood eood ead kft zrt nyrt sro spzoo pty pte sdn bhd berhad tbk fze fzco fzc fzllc dmcc wll bsc ksc kscc saoc saog psc pvt pvtltd coltd
colimited unlimited ulc ltee limitee compania compagnie sociedad societe societa aktiengesellschaft gesellschaft kompaniya kompaniia kampaniya
obshchestvo obschestvo ogranichennoi ogranichennoy otvetstvennostyu otvetstvennostiu aktsionernoe aktsionernoye akcionernoe otkrytoe otkrytoye
zakrytoe zakrytoye publichnoe publichnoye jointstock limitedliability adkrytae zakrytae aktsyyanernae tavarystva anonim sirketi sirket ltdsti sti shrka sharikat sharika sherkat sherkate shirkat moasese moassesse mwssa
`;

/** Legal forms of several words. */
export const LEGAL_PHRASES = `
limited liability company|limited liability partnership|limited by guarantee|public limited company|private limited company|private limited|
public joint stock company|open joint stock company|closed joint stock company|joint stock company|joint stock|joint-stock|public stock company|
private joint stock|private joint stock company|free zone company|free zone establishment|sole proprietorship|general partnership|limited partnership|
incorporated trustees of|incorporated trustees|registered trustees of|registered trustees|business name|de c v|de cv|s de rl|sociedad anonima|societe anonyme|
societe a responsabilite limitee|gesellschaft mit beschraenkter haftung|mit beschraenkter haftung|s ogranichennoi otvetstvennostyu|
s ogranichennoy otvetstvennostyu|unitary enterprise|state unitary enterprise|federal state unitary enterprise|sp z o o|sp zoo|public company|private company
`;

/** Words of one meaning, the first of which stands for all: abbreviations, languages, and the plural where it is irregular. */
export const SAME_WORDS = `
nigeria nig ngr nigerian naija
international intl internacional internationale internazionale mezhdunarodny mezhdunarodnyi mezhdunarodnaya beynolmelali uluslararasi
enterprise ent entp enterp entreprise empresa predpriyatie predpriiatie
venture vent
service svc svcs serv servicio servicios servis
global globe
investment invest investissement inversiones investitsii yatirim
resource res
industry ind indus industrial industries industria industrie industriel promyshlennaya promyshlennyi sanaye sanayi sanat sanati sanaie
technology tech techno tecnologia technologie technologies technological technologic tekhnologii tekhnologiya fanavari teknoloji
engineering eng engr engrg engineer engineers ingenieria muhandisi mohandesi muhendislik
construction const constr constructions construccion constructora stroitelstvo insaat
development dev devt developpement desarrollo tosee tose toseeh razvitie
management mgmt mgt
group grp grupo gruppe groupe gruppa goruh grup
brothers bros
son sons
trade trading traders trader comercial comercio commerce commercial torgovlya torgovyi torgovy bazargani bazergani bazarganie tejarat tejari tijari tijarat ticaret handels handel
general gen genel umum
import imports imp importadora importacion ithalat vardat varedat
export exports exp eksport exportadora exportacion ihracat saderat
national natl nacional nationale natsionalnyi natsionalny melli watani milli
state gosudarstvennyi gosudarstvennoe estatal etat dolati
federal federalnoe federalnyi
republic republique republica
ministry ministerio ministere ministerstvo vezarat wizarat bakanligi
institute inst institut instituto institution insituti
university univ universidad universite universitet daneshgah
scientific science sci npp npo nii tsnii nauchno nauchnyi nauchnaya nauchnogo nauki elmi research recherche investigacion issledovatelskii issledovatelskiy issledovatelskoe pazhouheshi pajouheshi tahghighat
production proizvodstvennoe proizvodstvennaya proizvodstvennyi proizvodstvenny proizvodstvennogo proizvodstvo produccion tolid tolidi manufacturing manufacture
plant zavod zavody works factory fabrika karkhaneh fabrica usine
bureau byuro biuro okb skb
experimental opytno opytnyi pilot
repair remontnyi remontny remontnogo
aircraft aviatsionno samolety
radio radiotekhnicheskii
concern kontsern koncern
shipyard verf shipbuilding sudostroitelnyi sudostroitelnaya
instrument instrumentation priborostroitelnyi priborostroeniya instrumentmaking
academy akademiya akademii
named imeni im
armoured armored
heat thermal
port seaport
region regional oblast
automation automatics avtomatiki
eastern vostochnaya vostochnyi
western zapadnaya zapadnyi
northern severnaya severnyi severnoe
southern yuzhnaya yuzhnyi
central tsentralnyi tsentralnaya tsentralnoe
union soyuz
people narodnaya narodnyi narodny peoples
party partiya
communist kommunisticheskaya
culture kultury
fund fondy
military voenno voennyi
special spetsialnogo spetsialnoe
chemistry khimii
branch filial
house dom
center centre centro tsentr markaz merkezi zentrum
organization organisation org organizacion organizatsiya sazman sazeman
association assoc assn obyedineniye obedinenie obyedinenie asociacion asotsiatsiya anjoman
foundation fdn fondation fundacion fond bonyad vakfi waqf stiftung
bank banking banque banco banka bancorp
insurance assurance seguros strakhovaya bimeh sigorta
transport transportation transportes transportation transportnaya trans haml naghl nakliyat
shipping shpg shipowners kashtirani keshtirani denizcilik
airline airlines airways aviation avia havapeymaei havapeymai aviacion aviatsionnyi
petroleum petrol
oil neft neftyanaya naft petrolera
gas gaz gaseosa
petrochemical petrochemicals petroshimi petrokimia petrokimya
chemical chemicals chem chimie quimica khimicheskii khimicheskiy shimi shimiaei kimya
energy energie energia energetika energiya enerji
power
electric electrical electricals elec elektrik electricite electrica
electronic electronics elettronica elektronik elektronika electronica
communication communications comm comms telecommunication telecommunications telecom telecoms telekom svyaz mokhaberat
computer computers
pharmaceutical pharmaceuticals pharma pharm daroui daroo
medical medicals med medico meditsinskii tebbi
hospital hosp
health healthcare
agriculture agricultural agric agro agroallied agrarian keshavarzi agricola
farm farms farming
food foods foodstuff alimentos
steel foulad fulad
metal metals metall metallurgical
mineral minerals mining mines mine minera madan maaden
machine machinery machines mashinostroitelnyi mashin machinebuilding
equipment equip equipments tajhizat tajhizate
material materials
security sec secure seguridad
supply supplies supplier suppliers
logistic logistics logistik
property properties
estate estates
real
consulting consult consultancy consultant consultants
contractor contractors contracting
solution solutions
system systems sistema sistemy
project projects proje
product products productos
design designs
marine maritime maritima sea morskoi morskoy daryaei
hotel hotels
school schools
college
charity charitable kheiriyeh khairia khayriya
relief
saint st
nur noor nour
salam salaam
madinah madina medina
jamaat jamaa jamaah jamaatu jamaatul jamaati jemaah djamaat
jamiyyat jamiyat jamiat jamiatu jamiatul jamiyyatu jamiyyatul
ansar ansaru ansarul
harakat harakatu harakatul haraka harakah harkat harkatul
hizb hizbu hizbul hezb hezbe
jaysh jayshul jaish jaishul
majlis majlisu majlisul majles
ahl ahlu ahlul ahlus ahli ahlis
islamic islam eslami islami islamiya islamique
arab arabic arabian arabi
iran iranian
russia russian rossiya rossiiskii rossiyskaya
syria syrian
korea korean
china chinese
ukraine ukrainian
belarus belarusian belorusskii
turkey turkish turkiye
libya libyan
africa african afrique
`;

/** Further words that say next to nothing: what companies do in general, how they call themselves, and what all of a trade have. */
export const WEAK_WORDS = `
nigeria international enterprise venture service global investment resource industry technology engineering construction development management group brothers son
trade general import export holding holdings associate partner partners concept concepts multi multiservices integrated allied unique universal world worldwide
united premier prime royal best first new super mega ultimate classic standard quality modern smart digital business businesses merchant merchants dealer dealers
store stores shop mart market markets marketing sales solution system project product supply logistic property estate real consulting contractor
material equipment africa west east north south central city and sons daughters house home homes family world link links line lines point hub zone
organization association state national federal republic ministry institute center office department agency authority bureau branch committee council
commission board unit division section headquarters corporation house
limited company private public joint stock named so called branch of alhaji alh alhaja hajiya hajia chief
`;

/** Words of a trade: more telling than the above, but thousands have them. */
export const TRADE_WORDS = `
oil gas petroleum petrochemical chemical energy power electric electronic communication computer pharmaceutical medical hospital health agriculture farm food
steel metal mineral machine security transport shipping airline marine hotel school college university bank insurance charity relief foundation
research scientific production plant design bakery restaurant catering fashion boutique cosmetics furniture printing packaging plastics textile textiles
garment garments beverage beverages water fishery fisheries poultry rice cement block paint tyre motor motors auto automobile autos car cars travel travels
tours tour cargo freight haulage courier express media entertainment studio film music radio television tv news press publishing publisher books software
data network networks internet online web cloud cyber mobile phone phones gadget gadgets solar light lighting cable cables wire tool tools hardware
building buildings builders architects survey surveyors cleaning laundry beauty salon spa gym fitness pharmacy laboratory laboratories diagnostic clinic
dental optical care nursery primary secondary academy training education educational learning child children women youth community society union club
church ministries mission gospel christian mosque muslim islamic army brigade battalion movement front party military defense defence aerospace space
aircraft missile weapon weapons naval navy air force ship ships vessel tanker tankers navigation port ports terminal refinery drilling exploration
pipeline fuel diesel lubricant lubricants coal gold diamond copper aluminium aluminum iron zinc tin
finance financial capital credit exchange bureau change money cash payment payments leasing fund funds trust microfinance mortgage savings loan
commodity commodities cotton cocoa sugar palm rubber timber wood paper leather shoe shoes bag bags jewelry jewellery
`;

/** Words that businesses everywhere choose for a name of their own: alone they name thousands. */
export const BRAND_WORDS = `
ace alliance alpha amber amazing anchor angel apex arc aqua arrow atlantic atlas aurora bay beacon bear bethel bird black blessed blessing blossom blue
bold bond bravo breeze bridge bright brilliant bull canaan capitol castle cedar century champion circle citadel clear cloud coast code compass
condor confidence consolidated continental coral core cornerstone cosmos covenant creative crescent crest cross crown crystal dawn delta desert destiny diamond
divine dolphin dove dragon dream dynamic dynasty eagle earth ebenezer eden edge elephant elite emerald emirates empire empress energy epic equity eternal ever
evergreen excel excellence excellent express faith faithful falcon favour favor field fire first five flame flash flower focus forest fortress fortune
forward foundation fountain fox freedom fresh friend frontier fusion future galaxy garden gate gateway gem genesis giant glory god goodness good goodwill goshen
grace grand granite great green grove guardian gulf happy harbour harbor harmony harvest haven hawk heart heaven heights helping heritage hero high highland
hill hilltop honey hope horizon ideal imperial infinity innovation insight inspire iris island ivory jade jasmine jehovah jet jewel joy jubilee judah
jupiter key king kingdom lagoon lake land landmark legacy legend leo liberty life light lily lion living lord lotus love loyal lucky luna magic magnum
majestic maple mark master matrix maximum meadow mega mercury mercy meridian metro midas millennium miracle moon morning mountain mustard natural neo neptune
new nexus next night nile noble north nova oak oasis ocean olive olympic omega one optimum orbit orchid orient oriental orion pacific palace palm panda
panorama panther paradise paramount park pathway peace peacock peak pearl perfect phoenix pillar pilot pioneer planet platinum plaza polar power praise
precious prestige pride prime prince princess prism progress prosperity providence pyramid quality queen quest rainbow rapid ray red regal regency reliable
reliance resurrection richland rising river robust rock rocky rose royal ruby safe sahara saint samson sapphire sea seat select shalom sharon shield shiloh silver sky
smile solid solomon spark spectrum spirit splendid spring star starlight sterling stone storm strong success summit sun sunlight sunrise sunset sunshine supreme
swift sword synergy temple tiger titan top tower treasure tree triangle trident trinity triple triumph true trust ultra union unicorn unity universe urban
valiant valley value vanguard venus verity vertex victor victory view vine vision vista vital vortex water wave way wealth white wind wing wings wisdom wise
wonder yellow zenith zion zone
albarka amana barka falah hikma hidaya ihsan ikhlas iqra islah jamaat madinah makkah nasr nur qalam rahama rahma rahman safa salam salama tawhid taqwa
tayyib wafa yaqeen zamzam gaskiya nagarta arewa sahel zumunci alheri shaddai jireh nissi
`;
