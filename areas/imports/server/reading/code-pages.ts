// Detects the code page of non-Unicode text: in the likeliest one, its bytes are frequent letters
// of a language.
import iconv from 'iconv-lite';
import type { FileEncoding } from '../../shared.ts';

const WESTERN: readonly string[] = [
  'øåæéØÅÆòôóü', // Norwegian, Danish
  'äöåÅÖÄéü', // Swedish, Finnish
  'üäößÜÖÄéè', // German
  'éèàçêôîïëùûâœÉÈÀÇüö', // French
  'áéíóúñüçãõâêôàÁÉÍÓÚÑ', // Spanish, Portuguese
  'àèéìòùÀÈ', // Italian
];

/** Non-ASCII letters of the languages of each code page, most frequent first. */
const LANGUAGES: ReadonlyArray<readonly [FileEncoding, string]> = [
  ...WESTERN.map((characters) => ['windows-1252', characters] as const),
  ['windows-1252', '’–“”…‘—•€£©®'], // English with typographic marks
  ['windows-1250', 'łóąężśćńźŁŻŚĆÓŹ'], // Polish
  ['windows-1250', 'íáéýěřčžšůúňťďóČŘŠŽÚ'], // Czech
  ['windows-1250', 'áéíóöőúüűÁÉÖŐÜÓ'], // Hungarian
  ['windows-1250', 'čšžćđČŠŽĆĐ'], // Croatian, Slovene
  ['windows-1251', 'оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёіїєОАСВПИМНКДГТЕРБЛЮЯ'], // Russian, Ukrainian, Bulgarian
  ['windows-1257', 'ėųšįūčžąęŠŽČĖŪĄĮŲ'], // Lithuanian
  ['windows-1257', 'āīēšņūļģžķčĀŠĒĪĶŅČĢŪ'], // Latvian
  ['windows-1257', 'äõüöšžÕÄÜÖ'], // Estonian
  ['windows-1253', 'αοιετνσρηπκμλυςίωόάέγδήθχφβύώξζψΑΣΚΠΜΓΔΕΤΟΝΛΙΡΧΦΘΗΥΒΆΈΊΌ'], // Greek
  ['windows-1254', 'ışğüçöİŞÇÖÜĞâ'], // Turkish
  ['windows-1255', 'יוהלארתבמשנעםדקחפטגסכןצזךףץ'], // Hebrew
  ['windows-1256', 'اليمونرتبةعدسفهكقأحجشصطخىئذضزثغءؤإظ'], // Arabic
  ['windows-1256', 'ايرندهومتبشسكلقخفزجآپگچژ'], // Persian
  ['windows-1258', 'đựơâôêăáàíóúưĐ\u0301\u0300\u0323\u0309\u0303'], // Vietnamese
  ...WESTERN.map((characters) => ['cp850', characters] as const),
  ...WESTERN.map((characters) => ['macintosh', characters] as const),
  ...WESTERN.map((characters) => ['cp437', characters] as const),
];

/** The log probability of a byte that is not a letter of the language. */
const FOREIGN_LETTER = Math.log(0.0005);

const tables = new Map<FileEncoding, string>();
function getTable(encoding: FileEncoding): string {
  let table = tables.get(encoding);
  if (table === undefined) {
    const bytes = Buffer.from(Uint8Array.from({ length: 128 }, (_, i) => 0x80 + i));
    table = needsIconv(encoding)
      ? iconv.decode(bytes, encoding)
      : new TextDecoder(encoding).decode(bytes);
    tables.set(encoding, table);
  }
  return table;
}

const OF_ICONV: ReadonlySet<FileEncoding> = new Set([
  'cp850',
  'cp437',
  'shift_jis',
  'gbk',
  'big5',
  'euc-kr',
]);

/**
 * TextDecoder supports no DOS code pages and throws if a two-byte character is split over two
 * chunks.
 */
export const needsIconv = (encoding: FileEncoding) => OF_ICONV.has(encoding);

interface ScoredEncoding {
  encoding: FileEncoding;
  /** The log probability of the bytes. */
  score: number;
}

/**
 * Returns the likeliest code page. `counts` contains how often each byte from 0x80 on occurs in the
 * examined part of the file; `sample` contains the bytes from the first non-ASCII byte on.
 */
export function detectCodePage(counts: Uint32Array, sample: Buffer): FileEncoding {
  const single = findBestMatch(counts);
  const inSample = new Uint32Array(256);
  for (const byte of sample) if (byte >= 0x80) inSample[byte] = (inSample[byte] as number) + 1;
  const { score } = findBestMatch(inSample);
  const [double] = PAGES.map(
    (page): ScoredEncoding => ({ encoding: page.encoding, score: scorePage(sample, page) }),
  ).sort((a, b) => b.score - a.score);
  return double !== undefined && double.score > score ? double.encoding : single.encoding;
}

function findBestMatch(counts: Uint32Array): ScoredEncoding {
  let bestMatch: ScoredEncoding = { encoding: 'windows-1252', score: Number.NEGATIVE_INFINITY };
  for (const [encoding, characters] of LANGUAGES) {
    const score = scoreLanguage(counts, getTable(encoding), characters);
    if (score > bestMatch.score) bestMatch = { encoding, score };
  }
  return bestMatch;
}

/**
 * Returns the log probability of these bytes in the language: Zipf's law for its letters, a
 * constant for other bytes.
 */
function scoreLanguage(counts: Uint32Array, table: string, characters: string): number {
  let weightOfAll = 0;
  for (let rank = 0; rank < characters.length; rank++) weightOfAll += 1 / (rank + 2);
  let score = 0;
  for (let byte = 0x80; byte < 0x100; byte++) {
    const count = counts[byte] as number;
    if (count === 0) continue;
    const rank = characters.indexOf(table[byte - 0x80] as string);
    score += count * (rank === -1 ? FOREIGN_LETTER : Math.log(1 / (rank + 2) / weightOfAll));
  }
  return score;
}

/** A code page with two-byte characters. */
interface CodePage {
  encoding: FileEncoding;
  /** The most frequent characters of the code page. */
  frequentCharacters: string;
  /** The log probability of a character, by its two bytes. */
  getLogProbability: (lead: number, trail: number) => number;
}

const FREQUENT = -5;
const COMMON = -7.5;
const RARE = -12;
const BROKEN = -25;

/** Matches hiragana, katakana and their punctuation in Shift-JIS. */
function isKana(lead: number, trail: number): boolean {
  if (lead === 0x81) return trail === 0x40 || trail === 0x45 || trail === 0x5b;
  if (lead === 0x82) return trail >= 0x9f && trail <= 0xf1;
  return lead === 0x83 && trail <= 0x96;
}

/**
 * Added for a two-byte character whose second byte is ASCII. The character's score includes that
 * byte, whereas the scores of single-byte code pages ignore ASCII bytes.
 */
const ASCII_COMPENSATION = 3.4;
/** Words of these languages rarely follow an ASCII letter directly. */
const AFTER_ASCII_SCORE = -6;
const isAsciiLetter = (byte = 0) => /[A-Za-z]/.test(String.fromCharCode(byte));

const PAGES: readonly CodePage[] = [
  {
    encoding: 'shift_jis',
    frequentCharacters: '',
    getLogProbability(lead, trail) {
      if (lead >= 0xa1 && lead <= 0xdf) return -9;
      if (trail < 0x40 || trail === 0x7f || trail > 0xfc) return BROKEN;
      if (isKana(lead, trail)) return FREQUENT;
      return lead >= 0x88 && lead <= 0x97 ? COMMON : RARE;
    },
  },
  {
    encoding: 'gbk',
    frequentCharacters:
      '的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范石姚谭廖邹熊金陆孔白崔康毛邱秦江史顾侯邵孟龙丽伟芳娜敏静强磊军洋勇艳杰娟涛明超秀霞平刚桂英华建志姓名电子邮件',
    getLogProbability(lead, trail) {
      if (trail < 0x40 || trail === 0x7f || trail === 0xff) return BROKEN;
      if (trail < 0xa1) return RARE;
      return lead >= 0xb0 && lead <= 0xd7 ? COMMON : RARE;
    },
  },
  {
    encoding: 'big5',
    frequentCharacters:
      '的一是不了人我在有他這中大來上國個到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可她里後小麼心多天而能好都然沒日於起還發成事只作當想看文無開手十用主行方又如前所本見經頭面公同三已老從動兩長王李張劉陳楊趙黃周吳徐孫胡朱高林何郭馬羅梁宋鄭謝韓唐馮于董蕭程曹袁鄧許傅沈曾彭呂蘇盧蔣蔡賈丁魏薛葉余潘杜戴夏鍾汪田任姜范石姚譚廖鄒熊金陸孔白崔康毛邱秦江史顧侯邵孟龍美麗淑雅惠君怡婷志明俊傑家豪姓名電子郵件',
    getLogProbability(lead, trail) {
      if (trail < 0x40 || (trail > 0x7e && trail < 0xa1) || trail === 0xff) return BROKEN;
      return lead >= 0xa4 && lead <= 0xc6 ? COMMON : RARE;
    },
  },
  {
    encoding: 'euc-kr',
    frequentCharacters:
      '이다는을의가에한하고은지로기사시대도인자어서리정나아수보일라제과해그부상전원장스만유동주성공국구경적신여비김박최조윤강임오안황송류홍민영진현준미선희은혜숙경순철호재훈우연승태용석름메',
    getLogProbability(lead, trail) {
      if (trail < 0xa1 || trail === 0xff) return BROKEN;
      return lead >= 0xb0 && lead <= 0xc8 ? COMMON + 1 : RARE;
    },
  },
];

function scorePage(sample: Buffer, page: CodePage): number {
  const frequent = new Set(page.frequentCharacters);
  let score = 0;
  /** Whether the previous byte belongs to a two-byte character. */
  let isPair = false;
  for (let index = 0; index < sample.length; index++) {
    const lead = sample[index] as number;
    if (lead < 0x80) {
      isPair = false;
      continue;
    }
    const isSingle = page.encoding === 'shift_jis' && lead >= 0xa1 && lead <= 0xdf;
    // The sample may end within a character.
    if (!isSingle && index + 1 === sample.length) break;
    const trail = isSingle ? 0 : (sample[index + 1] as number);
    if (lead === 0x80 || lead === 0xff) score += BROKEN;
    else {
      const isFrequent =
        frequent.size > 0 &&
        frequent.has(iconv.decode(sample.subarray(index, index + 2), page.encoding));
      const cost = page.getLogProbability(lead, trail);
      score += isFrequent ? FREQUENT : cost;
      if (!isSingle && trail < 0x80) score += ASCII_COMPENSATION;
      if (!isPair && isAsciiLetter(sample[index - 1])) score += AFTER_ASCII_SCORE;
      isPair = !isSingle && cost !== BROKEN;
      if (!isSingle && cost !== BROKEN) index += 1;
    }
  }
  return score;
}
