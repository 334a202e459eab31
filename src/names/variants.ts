/**
 * Spellings and short forms of the same name that are common in Nigeria. Hand-made and deliberately short: a missing pair costs a mismatch that a
 * person can review, but a wrong pair lets somebody pass under another's name.
 */

/** Each line is one name in its spellings, as registrars write them. The table also serves surnames. */
const SPELLINGS = `
muhammad mohammed muhammed mohammad mohamed muhamed mohamad muhamad mohamud mohd muhd muh
ahmad ahmed amad ahmadu
abdullahi abdullah abdulahi abdallah abdulla
abdulrahman abdurrahman abdurahman abdulrahaman abdulraman abdurraman abdulrahmon
abdulraheem abdulrahim abdurrahim abdurraheem abdulrahimi
abdulkadir abdulqadir abdulkadri abdulqadri abdulkader abdulqudir
abdulsalam abdussalam abdulsalaam abdussalaam abdusalam abdulsalami
abdulaziz abdulazeez abdulazees
abdulkareem abdulkarim abdulkarem
abdulmalik abdulmaleek abdulmalek
abdulfatah abdulfattah abdulfatai
abubakar abubakr abubaka abubakari
aliyu aliu
ibrahim ibraheem ibrahym
ismail ismaila ismaeel ismaail esmail
isa isah issa
yusuf yusuff yusufu yousuf yusif
yahaya yahya yahyah
yakubu yaqub yakub
umar umaru omar
usman usmanu uthman othman usmaan
suleiman sulaiman sulaimon sulaymon suleman sulayman
mustapha mustafa mustafah mustaph
hassan hasan hassaan
hussaini husaini hussein husseini husain hussain
haruna harun haroun
bashir basheer bashiru
nasiru nasir naseer nasiruddeen
kabiru kabir kabeer
jamilu jamil jameel
musa moussa mousa
mahmud mahmood mahmoud mahmuda
sadiq sadik saddiq siddiq
faruk farouk faruq farooq
tijjani tijani tidjani
idris idrees idriss
khalid khaleed
rabiu rabiyu
saidu saeed said
fatima fatimah fatimat fatma faatimah
aisha aishat aishah ayisha aysha aishatu ayishat
amina aminat aminah aminatu
zainab zaynab zainabu zaynabu zeinab
khadija khadijah khadijat hadiza hadizat khadeejah
maryam mariam maryamu mariama maryama
hauwa hauwau hawa hawwa
halima halimat halimah haleema
hafsat hafsa hafsatu hafsah
rukayya ruqayya rukayyat ruqayyah rukayat
sakina sakinat sakinah
safiya safiyyah safiyat safiyya safiyah
nafisa nafisat nafisah nafeesat
habiba habibat habibah
bilkisu bilqis bilkis bilqees
jamila jameelah jamilat jamilah
sumayya sumayyah sumaya sumaiya
chukwuemeka chukwuemeaka chukuemeka
chidinma chidimma
chukwuebuka chukwuebuca chukuebuka
chiamaka chiamaaka
ikechukwu ikechuku
oluchukwu oluchuku
okechukwu okechuku
nwachukwu nwachuku
folashade folasade
shina sina
tayo taiyo
victor viktor
philip phillip philips phillips
stephen steven stephan
catherine katherine kathryn katharine
theresa teresa
elizabeth elisabeth
joseph josef
michael micheal
sarah sara
hannah hanna
deborah debora
rebecca rebekah rebeca
rachel racheal rachael
jonathan johnathan
geoffrey jeffrey jeffery
isaac isaak
anthony antony
christopher christofer kristopher
emmanuel emanuel immanuel
matthew mathew
ann anne
`;

/** The first word is short for each of the others. Given names only: surnames are not shortened. */
const SHORT_FORMS = `
wale adewale olawale akinwale
bayo adebayo
dayo adedayo oladayo temidayo
tunde babatunde olatunde akintunde
jide babajide olajide
kunle adekunle olakunle akinkunle
tunji adetunji olatunji
niyi adeniyi olaniyi
lekan olalekan adelekan
lanre olanrewaju
kola kolawole
yemi adeyemi oluyemi opeyemi
ope opeyemi
tope temitope
temi temitope temiloluwa
tolu tolulope toluwani toluwalope
lolu toluwalope
bola adebola abimbola bolanle
bisi adebisi olabisi
bimpe adebimpe
bukky bukola oluwabukola
sade folasade folashade
shade folasade folashade
funmi funmilayo olufunmilayo oluwafunmilayo
folake afolake
nike adenike morenike abosedenike
ronke aderonke
jumoke olajumoke adejumoke
joke adejoke
yinka olayinka adeyinka
simi simisola
yomi abayomi
biodun abiodun
damilola oluwadamilola
dami damilola damilare oluwadamilola oluwadamilare
ayo ayodele ayomide ayobami ayokunle
dele ayodele bamidele
mide ayomide olumide
rotimi oluwarotimi olurotimi
gbenga olugbenga oluwagbenga
emeka chukwuemeka nnaemeka
ebuka chukwuebuka
chidi chidiebere chukwudi
nonso chinonso chukwunonso
nedu chinedu
amaka chiamaka
dinma chidinma
somto somtochukwu
tochi tochukwu
kene kenechukwu
kosi kosisochukwu
kamsi kamsiyochukwu
kc kelechi
ify ifeoma ifeyinwa ifeanyi
ogo ogochukwu
oge ogechi ogechukwu
onyi onyinye onyinyechi
onyinye onyinyechi
onyeka onyekachi
uche uchechi uchechukwu uchenna
ugo ugochukwu ugochi
uju obianuju
oby obiageli
nkem nkemdilim
kiki nkiruka
abu abubakar
sule suleiman
zee zainab
osas osasu osaretin osarodion
efe efemena
nosa nosakhare
tega oghenetega
tonye tamunotonye
ken kenneth
mike michael
joe joseph
sam samuel
dan daniel
dave david
tony anthony
chris christopher christian christiana
ben benjamin benedict
steve stephen
emma emmanuel
manny emmanuel
gabby gabriel
fred frederick alfred
tim timothy
tom thomas
vicky victoria
vic victor
liz elizabeth
beth elizabeth
kate catherine
debby deborah
becky rebecca
pat patricia patrick
nath nathaniel
matt matthew
phil philip
greg gregory
alex alexander alexandra
`;

const lines = (table: string): string[][] =>
  table
    .trim()
    .split('\n')
    .map((line) => line.split(' '));

/** Each group is one name in its spellings, the most common first. */
export const spellingGroups: readonly (readonly string[])[] = lines(SPELLINGS);

/** Each group is a short form, followed by the names it stands for. */
export const shortFormGroups: readonly (readonly string[])[] = lines(SHORT_FORMS);

const spellings = new Map(spellingGroups.flatMap(([usual, ...others]) => [usual!, ...others].map((word) => [word, usual!] as const)));

/** The usual spelling of a word; the word itself if only one is known. */
export const spelling = (word: string): string => spellings.get(word) ?? word;

const shortForms = new Map(shortFormGroups.map(([short, ...longs]) => [spelling(short!), new Set(longs.map(spelling))]));

/** Names of God at the start of a name, dropped in everyday use (Yoruba, Igbo, Urhobo, Ijaw). */
const DEVOUT_BEGINNINGS = ['oluwa', 'olu', 'chukwu', 'oghene', 'tamuno'];
const DEVOUT_ENDINGS = ['oluwa', 'chukwu'];

/** With a shorter remainder it would be a different name (`Olu`+`bi`). */
const BEHIND_MIN = 4;
const BEFORE_MIN = 3;

/** Whether `short` is what people call somebody named `long`. Both must be in their usual spelling. */
export function isShortFor(short: string, long: string): boolean {
  if (shortForms.get(short)?.has(long)) return true;
  return (
    (short.length >= BEHIND_MIN && long.endsWith(short) && DEVOUT_BEGINNINGS.includes(long.slice(0, -short.length))) ||
    (short.length >= BEFORE_MIN && long.startsWith(short) && DEVOUT_ENDINGS.includes(long.slice(short.length))) ||
    (short.startsWith('olu') && long === `oluwa${short.slice(3)}`)
  );
}
