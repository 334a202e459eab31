/**
 * How names in Arabic letters are read: the commonest given names with the vowels that nobody writes, so that حسن and حسين are two names. Other words
 * are compared by their consonants (`script.ts`).
 */

/** Spellings that are one word to everybody who writes: hamza and madda on alif, final ya and ta marbuta, Persian kaf and ya. */
export const plainArabic = (word: string): string =>
  word
    .normalize('NFKC')
    .replace(/[\u064b-\u065f\u0670\u0640]/g, '')
    .replace(/[أإآٱ]/g, 'ا')
    .replace(/[ىیې]/g, 'ي')
    .replace(/ک/g, 'ك')
    .replace(/[ۀہھە]/g, 'ه')
    .replace(/ة(?=$)/, 'ه');

/** In plain spelling (`plainArabic`). */
const READ = new Map(
  `
  محمد muhammad  احمد ahmad  محمود mahmud  حامد hamed  حميد hamid  حمد hamad  حمود hammud  حمدان hamdan  حمزه hamza  حماد hammad
  حسن hasan  حسين husayn  حسان hassaan  حسنين hasanayn  محسن muhsin  احسان ihsan
  علي ali  علاء ala  عمر umar  عمرو amr  عمار ammar  عامر amer  امير amir  عمران imran
  عثمان uthman  ابوبكر abubakr  بكر bakr  خالد khaled  خليل khalil  خلف khalaf  خميس khamis
  سعيد said  سعد saad  سعود saud  سعدون saadun  مسعود masud  سعاد suad
  سالم salem  سليم saleem  سلمان salman  سليمان sulayman  سلام salam  سلامه salama  مسلم muslim  سلوي salwa
  كمال kamal  كامل kamel  جمال jamal  جميل jamil  جلال jalal  جليل jalil  جابر jaber  جبار jabbar  جاسم jasem  قاسم qasem
  رشيد rasheed  راشد rashed  رشاد rashad  مجيد majeed  ماجد majed  نصير naseer  ناصر naser  نصر nasr  منصور mansur  نصار nassar
  كريم karim  كرم karam  مكرم mukarram  رحيم rahim  رحمن rahman  الرحمن rahman
  عادل adel  عدنان adnan  عديل adil  فارس fares  فراس firas  منير munir  منار manar  مني muna  نور nur  نبيل nabil  نبال nibal  بلال bilal
  وليد walid  خلدون khaldun  يوسف yusuf  يونس yunus  ياسر yaser  ياسين yasin  يحيي yahya  يعقوب yaqub
  ابراهيم ibrahim  اسماعيل ismail  اسحاق ishaq  موسي musa  عيسي isa  داود dawud  ايوب ayyub  زكريا zakariya  هارون harun  ادريس idris
  عباس abbas  جعفر jafar  حيدر haydar  رضا reza  عليرضا alireza  محمدرضا mohammadreza  غلامرضا gholamreza  حميدرضا hamidreza  مهدي mahdi  هادي hadi  مجتبي mojtaba  مرتضي murtada
  صالح saleh  صلاح salah  صباح sabah  صدام saddam  صادق sadeq  صديق siddiq  طارق tariq  طاهر taher  طه taha  ظاهر zaher  زهير zuhayr  زياد ziyad  زيد zayd  زين zayn
  فيصل faysal  فهد fahd  فواز fawwaz  فؤاد fuad  فواد fuad  فاطمه fatima  فاضل fadil  فضل fadl  فريد farid  فرج faraj  فتحي fathi  فتحيه fathiya  فيض fayz
  مصطفي mustafa  مروان marwan  مريم maryam  مرام maram  مراد murad  مازن mazen  مالك malek  مختار mukhtar  مصعب musab  معاذ muadh  معمر muammar  مزاحم muzahim
  اسامه usama  سامي sami  سامر samer  سمير samir  سيف sayf  سهيل suhayl  شريف sharif  شاكر shaker  شهاب shihab  شمس shams
  امين amin  امان aman  امنه amina  امجد amjad  انس anas  انور anwar  اياد iyad  ايمن ayman  اكرم akram  اشرف ashraf  اسعد asaad  ايمان iman
  باسم basem  بسام bassam  بشار bashar  بشير bashir  بدر badr  برهان burhan
  تامر tamer  توفيق tawfiq  ثامر thamer  حاتم hatem  حافظ hafez  حازم hazem  حبيب habib  حسام husam  حكيم hakim  حكمت hikmat
  رائد raed  رامي rami  رامز ramez  رياض riyad  رفعت rifat  رفيق rafiq  ربيع rabi  رجب rajab  رمضان ramadan
  عبود abbud  عبيد ubayd  عصام isam  عماد imad  عز izz  عزيز aziz  عزت izzat  عقيل aqil  عوض awad  عيد id  غازي ghazi  غسان ghassan  غالب ghalib  غني ghani
  كاظم kadhim  لطيف latif  لطفي lutfi  ماهر maher  معتز mutazz  منذر mundhir  نادر nader  ناجي naji  نجيب najib  نزار nizar  نعيم naim  نوري nuri  نوفل nawfal
  هاشم hashem  هاني hani  هشام hisham  هيثم haytham  وائل wael  وسام wisam  وليام william  ياسمين yasmin  يزيد yazid
  نجم najm  سلطان sultan  عائشه aisha  زينب zaynab  خديجه khadija  قمر qamar  حق haq  دين din  سبعاوي sabawi  هدايت hidayat  نعمت nimat  عنايت inayat  امر amr  جان jan  ولي wali  گل gul
  بن bin  ابن ibn  بنت bint  ابو abu  ابي abi  ام umm  ولد wuld  سيد sayyid  شيخ shaykh  حاجي haji  ملا mullah  مولوي mawlawi  قاري qari  حافظ hafiz  اغا agha  خان khan
  `
    .trim()
    .split(/\s+/)
    .reduce<[string, string][]>((pairs, text, i) => {
      if (i % 2 === 0) pairs.push([text, '']);
      else pairs.at(-1)![1] = text;
      return pairs;
    }, []),
);

/** A word in Arabic letters as it is read; undefined if it is not among the commonest. */
export const readArabic = (plain: string): string | undefined => READ.get(plain);
