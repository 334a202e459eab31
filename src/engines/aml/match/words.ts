/** Words in names that are not names themselves. */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Dropped before a name: forms of address, ranks, offices. */
export const titles = words(`
  mr mrs miss ms mister madam madame monsieur mme herr frau senor senora don dona dr doctor prof professor engr engineer ing barr barrister arc architect
  surv pharm rev reverend revd pastor bishop apostle evangelist deacon elder rabbi hon honourable honorable sen senator chief otunba oloye
  prince princess king queen sultan emir emperor lord lady sir dame baron count duke president pres minister ambassador governor gov mayor judge justice
  chancellor chairman secretary deputy vice gen general lt lieutenant col colonel maj major capt captain sgt sergeant cpl corporal brig brigadier adm
  admiral marshal commander cdr alhaji alh alhaja hajia hajiya mallam dato datuk datin daw ustaz ustadh imam ayatollah hojjatoleslam
  `);

/** Titles that one person has at a time. With a single name they denote somebody well known: `President Erdoğan`. */
export const offices = words('president pres chancellor');

/** Titles that are also names (Justice Okoro, Sen Gupta). Dropped only if a name of two words remains. */
export const namelikeTitles = words(`
  pastor bishop apostle evangelist deacon elder rabbi imam prince princess king queen sultan emir emperor duke baron count lord lady sir dame madam miss
  don dona doctor barr arc ing surv judge justice sen senator mayor gen col maj major captain marshal commander
`);

/** Dropped after a name of two words: generations, degrees, company forms. Not MBA or MD: Mba and Md are names. */
export const suffixes = words('jr jnr junior snr senior esq rtd retd ii iii iv phd llc ltd limited inc plc gmbh corp');

/** Titles that are also names of some people: they count little and contradict nothing. */
export const softTitles = words(`
  sheikh shaykh sheik shaikh cheikh sayyid sayyed sayed seyed syed said haji hajji hadji haj hajj qari mullah mulla mawlawi maulavi maulawi molvi mufti hafiz
  akhund agha khan bey pasha beg begum sahib malam mal bro fr sr
`);

/** Words that join names: next to no evidence between two names. No single letters, which are initials. */
export const particles = words(`
  al el ul ur ad an ar as at az ash bin ben ibn bint binti binte banu ould wuld oulad van von der den de da do dos das del della di du des la le las los lo
  zu zum zur ter ten te st saint san santa of the and na ag ait ap mac mc thi oglu oghlu ogly ogli uulu uly kyzy qizi gizi kizi
`);

/** Mark the father's name after them. */
const nasabBefore = words('bin ben ibn bint binti ould wuld');
/** Mark the father's name before them (Azeri, Turkmen, Kyrgyz, Kazakh). */
export const nasabBehind = words('oglu oghlu ogly ogli uulu uly kyzy qizi gizi kizi');
/** Which name is the father's matters. */
export const nasab: ReadonlySet<string> = new Set([...nasabBefore, ...nasabBehind]);

/** Father of, mother of: part of a by-name. */
export const kunya = words('abu abou abo aboo bou um umm oum');

/** Beginnings that form one name with the next word ("servant of"). */
export const servant = words('abd abdul abdal abdel abdol abdoul abdur abdus abdu abdou abdull abed');
/** Spellings of the article between them. */
export const articles = words('al el ul ur ar as us at az an ash er es');
