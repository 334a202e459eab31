/** Words in names that are not names themselves, and names with more than one spelling. */
import { shortFormGroups, spellingGroups } from '../../../names/variants.ts';
import { fold } from './fold.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Dropped before a name: forms of address, ranks, offices. */
export const titles = words(`
  mr mrs miss ms mister madam madame monsieur mme herr frau senor senora don dona dr doctor prof professor engr engineer ing barr barrister arc architect
  surv pharm rev reverend revd pastor bishop apostle evangelist deacon elder rabbi hon honourable honorable sen senator chief otunba oloye
  prince princess king queen sultan emir emperor lord lady sir dame baron count duke president pres minister ambassador governor gov mayor judge justice
  chancellor chairman secretary deputy vice gen general lt lieutenant col colonel maj major capt captain sgt sergeant cpl corporal brig brigadier adm
  admiral marshal commander cdr alhaji alh alhaja hajia hajiya mallam ustaz ustadh imam ayatollah hojjatoleslam
  `);

/** Titles that one person has at a time. With a single name they denote somebody well known: `President Erdoğan`. */
export const offices = words('president pres chancellor');

/** Titles that are also names (Justice Okoro, Sen Gupta). Dropped only if a name of two words remains. */
export const namelikeTitles = words(`
  pastor bishop apostle evangelist deacon elder rabbi imam prince princess king queen sultan emir emperor duke baron count lord lady sir dame madam miss
  don dona doctor barr arc ing surv judge justice sen senator mayor gen col maj major captain marshal commander
`);

/** Dropped after a name of two words: generations, degrees, company forms. Not MBA or MD: Mba and Md are names. */
export const suffixes = words('jr jnr junior snr senior esq ii iii iv phd llc ltd limited inc plc gmbh corp');

/** Titles that are also names of some people: they count little and contradict nothing. */
export const softTitles = words(`
  sheikh shaykh sheik shaikh cheikh sayyid sayyed sayed seyed syed said haji hajji hadji haj hajj qari mullah mulla mawlawi maulavi maulawi molvi mufti hafiz
  akhund agha khan bey pasha beg begum sahib malam mal bro fr sr
`);

/** Words that join names: next to no evidence between two names. No single letters, which are initials. */
export const particles = words(`
  al el ul ur ad an ar as at az ash bin ben ibn bint binti binte banu ould wuld oulad van von der den de da do dos das del della di du des la le las los lo
  zu zum zur ter ten te st saint san santa of the and na ag ait ap mac mc
`);

/** Mark a father's name: which name stands before the word and which after it matters. */
export const nasab = words('bin ben ibn bint binti ould wuld');

/** Father of, mother of: part of a by-name. */
export const kunya = words('abu abou abo aboo bou um umm oum');

/** Beginnings that form one name with the next word ("servant of"). */
export const servant = words('abd abdul abdal abdel abdol abdoul abdur abdus abdu abdu abdou abdull abed');
/** Spellings of the article between them. */
export const articles = words('al el ul ur ar as us at az an ash er es');

/** Each line is one name, in spellings that differ by more than a few letters. Hand-made from common usage. */
const SPELLINGS = `
muhammad mohammed muhammed mohammad mohamed mhamed mohamad muhamad mohamud mahamat mamadou mamadu maxamed magomed mukhammad muhammadu mochammad mohd muhd mahomed mehmet mehmed muxammad
ahmad ahmed axmed akhmed akhmad achmad ahmet amadou amadu
ali aliyu aly alli
hussein husayn husain hussain hossein husein huseyn khusein xuseen huseyin hocine hossine houcine
hassan hasan xasan khasan hassane hacene hassen
vladimir volodymyr uladzimir wladimir waldemar vladimiro vova
sergei serhiy sergio serge siarhei sergejs sergey serhii sergiy
dmitry dmytro dmitri dzmitry dimitri dima dmitrii
maxim maksim maksym massimo maxime max maximo
arkady arkadi arkadii arkadiy
oleg oleh aleh
igor ihor ihar
tatiana tatyana tetiana tanya tania
natalia natalya nataliya natasha nathalie nataliia
aisha aysha ayesha aicha aysheh aishatu aicho caasha
isa issa eisa aissa ciise eissa
cherif sharif sherif shareef charif
hicham hisham hesham hichem
bachir bashir basheer bechir beshir bashiru
chaker shakir shaker chakir
chawki shawqi shawki chaouki shauqi
achraf ashraf achref
achour ashur ashour
chokri shukri shokri choukri
chems shams
mouloud mawlud mulud mawlood maouloud
zoubir zubayr zubair zobeir zubeir zoubeir
zouhir zuhayr zuhair zoheir zouheir zuheir
sulayman suleiman suleyman slimane sliman souleymane soliman suleman sulaiman soulaymane suleymane
ibrahim ebrahim brahim ibragim abrahim ibraheem
yusuf youssef yousef yousuf yusef youcef youssouf issouf yusup yussuf
idris driss idriss edris idrissa
lakhdar akhdar
larbi arbi
redouane ridwan radwan rizwan redwan ridouane
marwan marouane merouane marwane
walid oualid waleed walide
yasin yacine yassine yassin yaseen
murad mourad morad mrad
nasser nasir nacer naser nasiru
nacim nassim nasim naseem
mokhtar mukhtar moukhtar
khamis khemais khamees
hamza hamzah hamzat
fatima fatma fatimah fatimata faadumo fatoumata fadumo
khadija khadijah hadiza khadeeja hatice khadidja
zaynab zainab zeinab zeynep
abdullah abdallah abdullahi abdulla abdellah abdoulaye cabdullaahi cabdulle avdulla abdalla abdullo
ubaydullah obaidullah ubaidullah obeidullah ubaydallah
umar omar oumar cumar omer umaru umer
uthman osman usman othman ousmane cusmaan usmanu othmane
abubakar abubakr abubakir abubaker bubakar boubacar aboubacar
gaddafi qaddafi qadhafi gadhafi khadafi kadafi gathafi
osama usama oussama usamah ossama
mustafa mustapha moustafa moustapha mostafa mustaf
mahmud mahmoud mahmood maxamuud makhmud mehmood
khalid khaled halid chalid
rashid rachid raschid rasheed
jamal gamal djamal cemal dzhamal
jalal galal djalal celal dzhalal
tariq tarek tareq tarik
lee li yi rhee ri
pak park bak
choe choi chwe
kim gim
chong jong jung jeong chung
no noh roh
ryu yu yoo
`;

/** Each line is one given name in several languages, with its short forms: less certain than another spelling. */
const TRANSLATIONS = `
yusuf youssef yousef yousuf yusef iosif joseph jose giuseppe josef yosef jusuf youcef yusup yussuf
ibrahim abraham avraham ebrahim brahim ibragim abram
ismail ismael esmail ismaiil
moses musa moussa mousa moshe moise moises
isa issa jesus eisa ciise
yahya john jan ivan juan jean johann johannes giovanni joao yohannes hans ioan ian sean jovan yahia johnny jack jon
jacob yaqub yakub james jacques jakob yaakov giacomo jaime iago santiago jim jimmy
david daud dawud daoud davide dawid dawit dave
solomon sulayman suleiman suleyman salomon shlomo soliman
michael mikhail michel miguel mikael michal mykhailo mihai mikhael mike misha
george georgy georgi jorge giorgio georges yuri iurii yuriy jerzy juri giorgi
alexander aleksandr oleksandr alejandro alexandre alessandro iskandar aleksander aliaksandr sasha alex alexandros iskander oleksander sandro aleksandar
nicholas nikolai mykola nicolas nicola nikolaos miklos nikolay mikalai nick nikola
andrew andrei andriy andre andreas andres andrea andrzej andrey ondrej anders andrej andy
peter petr petro pierre pedro pietro pyotr piotr petar butros boutros pjotr
paul pavel pavlo pablo paolo paulo pavol bulus boulos
eugene yevgeny evgeny yevhen evgeni eugenio evgenii ievgen yevgeniy
stephen stefan esteban stephan etienne stepan steven stefano istvan stevan steve
matthew matteo mateo mathieu matthias matvei matt mattias
mark marco marcus marcos marc markus
luke lucas luca luka lukas
thomas tomas tommaso foma tom tommy
anthony antonio anton antoine antonin tony antoni antonios
henry heinrich enrique henri enrico henrik harry hendrik
william wilhelm guillermo guillaume willem bill will billy vilhelm guglielmo liam
charles carlos karl carl carlo karel charlie
frederick friedrich federico frederic fredrik fred freddy fryderyk
robert roberto bob rob bobby rupert
richard ricardo riccardo rick dick ryszard
edward eduardo edouard eduard ed eddie ted edvard edoardo
theodore fyodor fedor teodoro teodor ted teddy fiodor theodor
gregory grigory gregorio grigori hryhoriy grzegorz greg grigoriy
benjamin binyamin ben benny bibi beniamino benyamin
daniel danilo dani dan danny daniil danylo
samuel shmuel sam samuele sami
joshua yehoshua josh josue
elijah elias ilyas ilya eli ilia illia ilie
gabriel jibril gavriil gabriele jabril
lawrence lorenzo laurent lars laurence larry lavrentiy
vincent vicente vincenzo vince
victor viktor vittorio vitor vic
constantine konstantin constantin kostas konstantinos kostya
yakov iakov jakov yakiv
vasily vasyl vasili basil vasiliy basilio vasil
philip felipe philippe filippo filipp phil filip
francis francisco francesco francois franz frank pancho franciszek ferenc paco
louis luis luigi ludwig lewis ludovic lodewijk lou
christopher cristobal christophe chris cristoforo kristof christoffer
leonard leonardo leonid leo leon
elizabeth isabel elisabeth elisabetta yelizaveta liz beth isabella elizaveta eliza betty
catherine ekaterina yekaterina katarina caterina katherine kathryn katerina kate cathy catalina katarzyna
mary maria maryam marie miriam mariam mariya mari maryem
anna anne ana hanna ann hannah anya annie
helen elena yelena olena helena helene ellen eleni
julia yulia giulia julie yuliya iuliia
margaret margarita marguerite peggy maggie margherita
sophia sofia sophie zofia sofiya
`;

const linesOf = (table: string): string[][] =>
  table
    .trim()
    .split('\n')
    .map((line) => line.split(' '));

/** Folded word → the groups of names that contain it. */
const groupsOf = new Map<string, number[]>();
/** The same by the word as written. */
const writtenGroupsOf = new Map<string, number[]>();
function join(names: readonly string[], group: number): void {
  for (const name of names) {
    add(groupsOf, fold(name), group);
    add(writtenGroupsOf, name, group);
  }
}
function add(groups: Map<string, number[]>, key: string, group: number): void {
  const known = groups.get(key);
  if (!known) groups.set(key, [group]);
  else if (!known.includes(group)) known.push(group);
}
const spellings = [...linesOf(SPELLINGS), ...spellingGroups];
/** Pairs a short form with each of its long forms, but not the long forms with each other. */
const shortForms = shortFormGroups.flatMap(([short, ...longs]) => longs.map((long) => [short!, long]));
for (const [i, names] of [...spellings, ...linesOf(TRANSLATIONS), ...shortForms].entries()) join(names, i);

/** Whether a group's names are spellings of one name, rather than translations or short forms. */
export const isSpelling = (group: number): boolean => group < spellings.length;

const NONE: readonly number[] = [];

/** Numbers of the groups of names that contain a folded word. */
export const nameGroups = (folded: string): readonly number[] => groupsOf.get(folded) ?? NONE;

/** Numbers of the groups that contain a word in just these letters. */
export const writtenGroups = (word: string): readonly number[] => writtenGroupsOf.get(word) ?? NONE;
