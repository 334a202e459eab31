/**
 * What a syllable of a Chinese name in Cantonese or Hokkien spelling is in pinyin: the spellings of the same characters in Hong Kong and Macau, and in Singapore,
 * Malaysia and Indonesia. A syllable may stand for several. The Cantonese table was worked out from the two readings (Jyutping of `to-jyutping` 3.1.1, pinyin of
 * `pinyin-pro`) of some 1,050 characters that names consist of, spelt as Hong Kong's immigration office does; the Hokkien one is from general knowledge.
 */

const CANTONESE = `
an yan, au ou, chai qi zai ji, chak ze ce, cham zhan shan zhen, chan zhen chen can zan, chang zeng ceng cheng zheng, chap ji, chau zhou chou zou qiu,
che xie jie, cheng zheng, cheuk zhuo chao chuo shao jue, cheung zhang chang xiang jiang, chi zhi zi chi ci, chik zhi ji, chim zhan, chin qian,
ching jing qing zheng cheng zhen, chit zhe jie, chiu zhao chao jiao xiao qiao, cho chu cao zuo zu zao, choi cai, chong zhuang chuang chang cang,
chow zhou chou zou qiu, chu zhu shu, chue zhu shu, chuen quan chuan cun zun, chui cui xu sui, chuk zhu, chum zhen, chun zhen jun jin chen qin chun,
chung zhong song zong cong chong, fa hua, fah hua, fai hui, fan fan xun fen, fat fa, fei fei, fi fei, fo ke huo, fok huo, fong fang huang, foo fu hu,
foon kuan huan, fu fu hu, fui kui, fuk fu, fun xun fen kuan huan, fung feng pang, ha xia, hah xia, ham han, han xian, hang heng xing keng, hap he,
hau hou xiao qiao kao, hee xi qi, hei xi qi, heung xiang, hi xi qi, him qian, hin xian xuan, hing qing xing xin, hip xie, hiu xiao, ho hao he ke,
hoi kai hai, hok he xue, hon han kan, hong hang kang, how hou, huen xuan xun, hui xu, hung hong xiong kong, hup he, ip ye, ka jia,
kai jie jia xi kai xie, kak ge, kam jin gan jian, kan jin jian gen qin, kang geng, kar jia, kat ji, kau qiu jiao, kee qi ji, kei qi ji, keng jing,
keung jiang qiang, ki qi ji, kim jian, kin jian qian, king jing qiong, kit jie, kiu qiao, ko gao ge, kok jue hao, kon gan, kong gang jiang, koo gu,
koon guan, ku gu, kuen juan jian quan, kui ju qu, kuk qu gu ju, kum jin gan, kun guan jin gen qin, kung gong, kut ji, kwai gui kui ji,
kwan kun jun guan qun, kwo guo, kwok guo, kwong guang kuang, kwun kun jun qun, lai li lai, lam lin lan, lan lan, lang leng, lap li, lau liu, lee li,
lei li, leng ling, leung liang, li li, lik li, lim lian, lin lian, ling ling, liu liao, lo lu luo, loi lai, lok luo le, long lang, low liu, luen lian,
lui lei lu, luk lu, lum lin, lun lun lin, lung long, lut lu, ma ma, mai mai mi, mak mai, man wen min wan man, mang meng, mau mao mu mou, mei mei wei,
meng ming, mi mei wei, mik mi, min mian, ming ming, miu miao, mo wu mao mu, mok mo, mong wang, moon men man, mui mei, muk mu, mun wen min men man,
mung meng, na na, nam nan, nang neng, ng wu, nga ya, ngah ya, ngai wei ni yi ya ai, ngan yan yin, ngo e ao, ngok yue, ngong ang, ngun yin, ni ni,
nim nian, nin nian, ning ning, nip nie, nok nuo, nui nan, nung nong, o ke, oi ai, on an, ow ou, pak bai bei bo, pan bin ban, pang peng, pat ba,
pau bao, peng ping, pik bi, ping bing ping, piu biao, po bao bu bo pu, pok bo pu, pong pang bang, poon pan ben ban, pui pei bei, pun bin pan ben ban,
put ba, sa sha, sai xi shi, sam shen cen san xin qin sen, san chen shen shan xin, sang sheng, sau xiu shou, see shi si cai, shai xi shi,
sham shen cen xin qin sen chen, shan chen shen shan xin, shek shi xi shuo, sheung xiang chang shang shuang, shik shi xi, shing sheng cheng,
shiu xiao shao zhao, shu shu, shuen xuan sun, shui shui rui xu cui sui, shum shen cen xin qin sen chen, shun chen shen xin chun shun xun,
si shi si cai, sik shi xi, sim chan, sin xian qian, sing sheng cheng, sit xue, siu xiao shao zhao, so su, sou su, sue shu, suen xuan sun,
suet xue shuo, sui shui rui xu cui sui, suk shu, sum shen cen xin qin sen chen, sun chen shen xin, sung song chong, sze shi si cai, tai di dai da tai,
tak de, tam tan, tan dan tan, tang deng teng, tat da, tik di zhai, tim tian, tin tian dian, ting ting ding, tip die, tiu diao, to tu tao du dao,
toi dai, tong tang, tsai qi zai ji, tsam zhan shan, tsan zhen chen, tsang zeng ceng cheng zheng, tse zhi zi chi ci xie jie, tso chu cao zuo zu zao,
tsoi cai, tsui cui xu sui, tsun zhen chen, tsz zhi zi chi ci, tun dun, tung tong dong, tze zhi zi chi ci, wa hua, wah hua, wai wei hui huai,
wan yun huan wen yin, wang hong, wat qu yu, wing yong rong ying, wong huang wang, woo hu wu yu, woon huan yuan, wu hu wu yu, wui hui,
wun yun huan wen yin yuan, wut qu yu, yam yin ren qin xin, yan yin xin zhen ren en, yat yi ri, yau you qiu rou, yee yi er qi, yeuk ruo yue, yeung yang,
yi yi er qi, yik yi, yim yan, yin yan xian ran, ying ying ning, yip ye, yiu yao rao, yow you qiu rou, yu yu ru, yue yu ru, yuen yuan wan ruan,
yuet yue, yui rui yi, yuk yu xu, yum yin ren qin xin, yun yin xin run zhen ren en, yung rong yong weng, yut yi ri
`;

const HOKKIEN = `
tan chen, lim lin, ng huang wu, goh wu, go wu, ong wang, teo zhang, tio zhang, teoh zhang, chua cai, koh xu gao, kho xu, low liu luo, lau liu, loh luo,
yeo yang, yeoh yang, sim shen xin, chew zhou, chiew zhou, seah xie, chia xie, cheah xie, tay zheng, teh zheng, soh su, saw su, khoo qiu, kua ke,
kwa ke, quah ke, gan yan, ang hong, hong feng hong, phua pan, pua pan, phang peng, wee huang wei, oei huang, oey huang, ooi huang, uy huang, sy shi,
tjoa cai, tjia xie, tjan zeng, thio zhang, liem lin, kwee guo, kueh guo, quek guo, kwek guo, oh hu, chng zhuang, lua lai, neo liang, nio liang,
leow liao, liew liu liao, liau liao, toh zhuo du, tng tang, thng tang, teng ding deng, soo su si, yap ye, siow xiao, siew xiao xiu, seow xiao,
kang jiang, kiang jiang, choo zhu, ting ding chen, lee li, lu lu, aik yi, bee mei mi, beng ming min, boon wen, bok mu, chai cai, chye cai, chee zhi,
cheng qing zheng, chin zhen, chong zhong, choon chun jun, chuan quan chuan, chwee shui, eng rong ying yong, gek yu, geok yu, guan yuan, ghee yi,
gin yin, hean xian, heng xing, hian xian, hin xing, hiong xiong, hock fu, hoon fen yun, hua hua, huat fa, hwa hua, hwee hui, jin ren, joo yu ru,
keng qing jing, keong qiang, kheng qing, kian jian, kiat jie, keat jie, kim jin, kiong qiong gong, kok guo, kong guang, leong liang long, leng ling,
lian lian, liong long, luan luan, moi mei, mui mei, nam nan, ngee yi, ngoh e, pek bi bai, peng ping bing, poh bao, poo fu, san shan,
seng sheng cheng xing, siang xiang, sian xian, siok shu, sin xin, sook shu, sok shu, soon shun, suan xuan, swee rui shui, teck de, tek de, teik de,
tee di zhi, thiam tian, thian tian, tiam zhen, tien tian, tiong zhong, tong dong, tuan duan, wah hua, yam yan, yew you, yeow yao, yong yong rong,
yit yi, kee ji qi, lay li
`;

/** Syllable → what it may be in pinyin. */
export const DIALECTS: ReadonlyMap<string, readonly string[]> = read();

function read(): Map<string, string[]> {
  const table = new Map<string, string[]>();
  for (const line of `${CANTONESE},${HOKKIEN}`.split(',')) {
    const [syllable, ...readings] = line.trim().split(' ');
    table.set(syllable!, [...new Set([...(table.get(syllable!) ?? []), ...readings])]);
  }
  return table;
}

/** Family names that look like pinyin but that nobody has on the mainland. */
export const DIALECT_FAMILIES: ReadonlySet<string> = new Set(['chan']);
