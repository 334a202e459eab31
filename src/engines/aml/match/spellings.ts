/** Names with more than one usual spelling, in several languages, and their usual short forms. `form-groups.ts` adds those that only the matcher needs. */
import { readBiblicalNames } from '../../../names/forms/index.ts';
import { shortFormGroups, spellingGroups } from '../../../names/variants.ts';
import { fold } from './fold.ts';

/** Each line is one name, in spellings that differ by more than a few letters. Hand-made from common usage. */
const SPELLINGS = `
muhammad mohammed muhammed mohammad mohamed moh moch muh mhd mhamed mohamad muhamad mohamud mahamat mamadou mamadu maxamed magomed mukhammad muhammadu mochammad mohd muhd mahomed mehmet mehmed muxammad
ahmad ahmed axmed akhmed akhmad achmad ahmet amadou amadu
ali aliyu aly alli cali
hussein husayn husain hussain hossein husein huseyn khusein xuseen huseyin hocine hossine houcine
hassan hasan xasan khasan hassane hacene hassen
hussaina husaina husseina
hassana hasana
saadatu sadatu saadatou
mairo
vladimir volodymyr uladzimir wladimir waldemar vladimiro vova uladzimer
sergei serhiy sergio serge siarhei sergejs sergey serhii sergiy sergej siarhey sergii
dmitry dmytro dmitri dzmitry dimitri dima dmitrii dzmitryi dmitrij dmitriy
maxim maksim maksym massimo maxime max maximo maxym
arkady arkadi arkadii arkadiy
oleg oleh aleh aleg
igor ihor ihar igar
tatiana tatyana tetiana tanya tania tatsiana tetyana
natalia natalya nataliya natasha nathalie nataliia natallia
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
sulayman suleiman suleyman slimane sliman souleymane soliman suleman sulaiman soulaymane suleymane sulejman soleiman soleyman
ibrahim ebrahim brahim ibragim abrahim ibraheem ibraahin
yusuf youssef yousef yousuf yusef youcef youssouf issouf yusup yussuf yousof yousouf yosef yusof jusuf
idris driss idriss edris idrissa idriz
lakhdar akhdar
larbi arbi
redouane ridwan radwan rizwan redwan ridouane ridvan rizvan
marwan marouane merouane marwane
walid oualid waleed walide velid valid
yasin yacine yassine yassin yaseen iasin
murad mourad morad mrad murat
nasser nasir nacer naser nasiru
nacim nassim nasim naseem
mokhtar mukhtar moukhtar
khamis khemais khamees
hamza hamzah hamzat khamza hamze
fatima fatma fatimah fatimata faadumo fatoumata fadumo
khadija khadijah hadiza khadeeja hatice khadidja
zaynab zainab zeinab zeynep
abdullah abdallah abdullahi abdulla abdellah abdoulaye cabdullaahi cabdulle avdulla abdalla abdullo
ubaydullah obaidullah ubaidullah obeidullah ubaydallah
umar omar oumar cumar omer umaru umer
uthman osman usman othman ousmane cusmaan usmanu othmane osmon usmon cismaan
abubakar abubakr abubakir abubaker bubakar boubacar aboubacar abobaker aboubaker
gaddafi qaddafi qadhafi gadhafi khadafi kadafi gathafi
osama usama oussama usamah ossama
mustafa mustapha moustafa moustapha mostafa mustaf
mahmud mahmoud mahmood maxamuud makhmud mehmood makhmoud mahmut mahmout
khalid khaled halid chalid halit chaled
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
michael mikhail michel miguel mikael michal mykhailo mihai mikhael mike misha mikhas mykhaylo mikhajlo mikhaylo mykhail
george georgy georgi jorge giorgio georges yuri iurii yuriy jerzy juri giorgi yury iury jurij heorhii heorhiy georgii georgiy yurii
alexander aleksandr oleksandr alejandro alexandre alessandro iskandar aleksander aliaksandr sasha alex alexandros iskander oleksander sandro aleksandar aliaksander aliaksandar alyaksandr alexandr
nicholas nikolai mykola nicolas nicola nikolaos miklos nikolay mikalai nick nikola mikalay mikola nikolaj nicolai
andrew andrei andriy andre andreas andres andrea andrzej andrey ondrej anders andrej andy andrii andrij
peter petr petro pierre pedro pietro pyotr piotr petar butros boutros pjotr piatr pyatr
paul pavel pavlo pablo paolo paulo pavol bulus boulos paval pawel
eugene yevgeny evgeny yevhen evgeni eugenio evgenii ievgen yevgeniy yauhen yauheni yevheniy ievgenii evhen evgeniy jevgenij
stephen stefan esteban stephan etienne stepan steven stefano istvan stevan steve stsiapan
matthew matteo mateo mathieu matthias matvei matt mattias matvey matvii
mark marco marcus marcos marc markus
luke lucas luca luka lukas
thomas tomas tommaso foma tom tommy
anthony antonio anton antoine antonin tony antoni antonios
henry heinrich enrique henri enrico henrik harry hendrik
william wilhelm guillermo guillaume willem bill will billy vilhelm guglielmo liam
charles carlos karl carl carlo karel charlie
frederick friedrich federico frederic fredrik fred freddy fryderyk
robert roberto bob rob bobby
richard ricardo riccardo rick dick ryszard
edward eduardo edouard eduard ed eddie ted edvard edoardo
theodore fyodor fedor teodoro teodor ted teddy fiodor theodor fiodar
gregory grigory gregorio grigori hryhoriy grzegorz greg grigoriy hryhory ryhor grigorii hryhorii
benjamin binyamin ben benny bibi beniamino benyamin
daniel danilo dani dan danny daniil danylo
samuel shmuel sam samuele sami
joshua yehoshua josh josue
elijah elias ilyas ilya eli ilia illia ilie ilja
gabriel jibril gavriil gabriele jabril
lawrence lorenzo laurent lars laurence larry lavrentiy
vincent vicente vincenzo vince
victor viktor vittorio vitor vic viktar
constantine konstantin constantin kostas konstantinos kostya kanstantsin kostiantyn kostyantyn kostyantin
yakov iakov jakov yakiv yakau
vasily vasyl vasili basil vasiliy basilio vasil vasyliy vasilii
philip felipe philippe filippo filipp phil filip
francis francisco francesco francois franz frank pancho franciszek ferenc paco
louis luis luigi ludwig lewis ludovic lodewijk lou
christopher cristobal christophe chris cristoforo kristof christoffer
leonard leonardo leonid leo leon
elizabeth isabel elisabeth elisabetta yelizaveta liz beth isabella elizaveta eliza betty yelyzaveta lizaveta
catherine ekaterina yekaterina katarina caterina katherine kathryn katerina kate cathy catalina katarzyna katsiaryna kateryna iekaterina
mary maria maryam marie miriam mariam mariya mari maryem
anna anne ana hanna ann hannah anya annie ganna
helen elena yelena olena helena helene ellen eleni alena
julia yulia giulia julie yuliya iuliia yuliia
margaret margarita marguerite peggy maggie margherita
sophia sofia sophie zofia sofiya
`;

const linesOf = (table: string): string[][] =>
  table
    .trim()
    .split('\n')
    .map((line) => line.split(' '));

export type Groups = Map<string, number[]>;

export function addTo(groups: Groups, key: string, group: number): void {
  const known = groups.get(key);
  if (!known) groups.set(key, [group]);
  else if (!known.includes(group)) known.push(group);
}

/** Pairs a short form with each of its long forms, but not the long forms with each other. */
export const shortPairs = (groups: readonly (readonly string[])[]): string[][] =>
  groups.flatMap(([short, ...longs]) => longs.map((long) => [short!, long]));

/** Groups are numbered in this order. Read anew for each call, so that nothing of it stays in memory. */
export const readUsualGroups = () => ({
  spellings: [...linesOf(SPELLINGS), ...spellingGroups],
  translations: [...linesOf(TRANSLATIONS), ...readBiblicalNames()],
  shortForms: shortPairs(shortFormGroups),
});

/** Folded word → the groups of names that contain it. */
const groupsOf: Groups = new Map();
/** The same by the word as written. */
const writtenGroupsOf: Groups = new Map();

for (const [group, names] of Object.values(readUsualGroups()).flat().entries())
  for (const name of names) {
    addTo(groupsOf, fold(name), group);
    addTo(writtenGroupsOf, name, group);
  }

export const NONE: readonly number[] = [];

/** Numbers of the groups of names that contain a folded word, without the further spellings. */
export const nameGroups = (folded: string): readonly number[] => groupsOf.get(folded) ?? NONE;

/** Numbers of the groups that contain a word in just these letters. */
export const writtenGroups = (word: string): readonly number[] => writtenGroupsOf.get(word) ?? NONE;
