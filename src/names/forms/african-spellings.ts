/** African names, but not those that Nigerians bear (`index.ts` explains). */
export const AFRICAN_SPELLINGS = `
adwoa adjoa adjoua adjowa, agyapong agyepong adjapong adjepong, agyei adjei, agyeman agyemang adjeman, alhaji alhagie alagie elhadji elhadj,
almamy alimamy almami, ba bah, badamasi badamassi gbadamosi badamosi, bagayoko bagayogo, berhane birhane brhane, berhanu birhanu brhanu, bodian bojang,
chala caalaa, cheikh sheikh shaikh shaykh cheick sheekh, coly colley, coulibaly koulibaly krubally kulibaly kulubaly, diabate jobarteh jabateh,
diaby jabbi jabby diabi, diagana jagana, diagne jagne, diakite jakite, diame jammeh, diawara jawara, dodzi dodji, doumbouya dumbuya doumbia dumbia,
egal cigaal cigal egaal, elbashir albashir elbasheer, elorm elom, eltayeb altayeb eltayib, farhiya farxiya farhiyo farxiyo, fikre fekre, fikru fekru,
fissehaye fessehaye fesehaye, gedi geedi guedi, goudiaby kujabi kujabie, gyamfi jamfi, hamdi xamdi, hashi xaashi xashi, hodan xodan, ifrah ifrax,
jabir jabiru jaber gaber djabir jaabir, khatib khatibu hatibu, khogali khojali, komla kobla kwabla, kourouma koroma kuruma kromah,
kufuor kuffour kuffuor kufour, mallam malam malloum, masud masoud masudi massoud mascuud, mballo mballow embalo, mbodj mbodji mboge, mboup mboob,
mbow mbowe, mengistu menghistu mengestu, mesfin mesfen, mihret mehret mihiret, mirghani mirgani mergani,
mudathir muddathir mudasiru mudashiru modather, mumin mumini muminu muumin moumine moumin moumouni mumuni, muzammil muzamil muzzammil muzammilu,
ndao ndow, ndour ndure, niasse niass nyass, nimco nimo nicmo, nimeiri nimeiry numeiri, okyere otchere, quarshie kwashie, rajab rajabu ragab radjab,
sabir sabiru saber, samatar samater, seck secka, selassie silassie sellassie, selorm selom, senghor senghore, sharmarke sharmaarke charmarke,
sissoko sissokho cissokho cissoko suso susso, souare suwareh suware swaray, sow sowe, suad souad suaad sucaad sucad, thiam cham, thiaw chaw,
thioune chune, tilahun telahun, traore trawally tarawally tarawallie tarawali, uwais uways uwaisu owais aweys awees, woldeab weldeab,
woldemichael weldemichael woldemikael weldemikael, worku werku, yasir yaser yasser yassir yasiru, yirga yerga
`;
