/**
 * How often invented Chinese who are on no list hit somebody on a sanctions list, by spelling of the name: family names and given names that are common in
 * each place, every one combined with every other.
 */
import type { ScreeningIndex } from '../../src/engines/aml/match/index.ts';
import { openMatcher } from '../../src/engines/aml/match/screen.ts';
import { THRESHOLD_DEFAULT } from '../../src/engines/aml/request.ts';

const NAMES = {
  'Cantonese, Hong Kong': [
    'Chan Wong Lam Lau Leung Lee Cheung Ho Ng Yeung Kwok Tsang Chow Chu Tse Tang Ma Yip Poon Mak',
    `Chi Man, Ka Wai, Wing Yan, Kwok Keung, Siu Ming, Mei Ling, Chi Keung, Wai Ming, Yuk Ying, Hoi Yan, Tsz Kit, Kin Wah, Chun Kit, Ho Yin, Wai Kit, Sau Fong,
     Yuet Ngor, Lai Chun, Pui Shan, Cheuk Yiu, Hok Man, Kam Fai, Tak Wah, Wing Hong, Ching Yee, Kai Ming, Wai Lun, Man Kit, Suk Fan, Hon Ming, Chi Wai, Lok Yi,
     Shuk Yee, Yat Long, Chung Man, Pak Hei, Yin Ting, Kwai Fong, Siu Fong, Kwan Yu`,
  ],
  'Hokkien, Singapore': [
    'Tan Lim Ng Goh Ong Teo Chua Koh Yeo Low Lee Sim Chew Tay Ang',
    `Kok Seng, Chee Beng, Boon Kiat, Mei Hwee, Siew Ling, Kim Huat, Wei Ming, Choon Hock, Eng Huat, Geok Lan, Hwee Ling, Kheng Soon, Swee Lian, Teck Seng,
     Poh Choo`,
  ],
  pinyin: [
    'Wang Li Zhang Liu Chen Yang Zhao Huang Zhou Wu Xu Sun Hu Zhu Gao',
    'Wei, Jianguo, Zhiwen, Guoqiang, Xiaoming, Meiling, Yongkang, Jing, Haiyan, Jun, Guosheng, Shufen, Weijie, Zhiqiang, Yulan',
  ],
} as const;

export interface ChineseRates {
  spelling: string;
  names: number;
  hits: number;
}

/** `index`: of the sanctions lists. */
export function rateChinese(index: ScreeningIndex): ChineseRates[] {
  const matcher = openMatcher(index);
  return Object.entries(NAMES).map(([spelling, [families, given]]) => {
    const names = families.split(' ').flatMap((family) => given.split(/,\s+/).map((one) => `${family} ${one}`));
    const hits = names.filter(
      (name) =>
        matcher.screen({ name, dateOfBirth: null, country: null, gender: null }, { threshold: THRESHOLD_DEFAULT, lists: null }).length > 0,
    );
    return { spelling, names: names.length, hits: hits.length };
  });
}
