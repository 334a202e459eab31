/**
 * How names in Arabic letters are read: common given and family names with the vowels that nobody writes, so that حسن and حسين are two names. Other words
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
  نوح nuh  ادم adam  شعيب shuaib  لقمان luqman  باقر baqir  ظافر dhafer  شعبان shaaban  جمعه jumaa  تركي turki  بندر bandar  نايف nayef  مشعل mishal
  طلال talal  نواف nawaf  قحطان qahtan  سفيان sufyan  رضوان ridwan  حمدي hamdi  هلال hilal  نضال nidal  جهاد jihad  فاروق faruq  شفيق shafiq
  مرشد murshid  عاصم asim  عارف arif  فايز fayez  فوزي fawzi  فادي fadi  فاتح fatih  فكري fikri  فهمي fahmi  فرحان farhan  بهاء bahaa  تيسير taysir
  ثابت thabit  جواد jawad  جرجس girgis  حارث harith  حسني husni  حلمي hilmi  خليفه khalifa  خيري khairi  دريد duraid  ذياب dhiyab  رمزي ramzi
  رؤوف rauf  رشدي rushdi  زاهر zahir  زيدان zaidan  زكي zaki  ساجد sajid  شكري shukri  شادي shadi  شوقي shawqi  صابر sabir  صبري sabri  صفوان safwan
  صهيب suhaib  ضياء dhiya  طالب talib  عاطف atif  عزمي azmi  عواد awwad  عوني awni  علوان alwan  غانم ghanim  غيث ghaith  قصي qusai  قيس qais
  قتيبه qutaiba  لؤي luay  ليث laith  مؤيد muayyad  مثني muthanna  مجدي majdi  معاويه muawiya  معتصم mutasim  مفيد mufid  مقداد miqdad  ممدوح mamduh
  مهند muhannad  ميثم maitham  نديم nadim  نسيم nasim  نعمان numan  هيكل haikal  وسيم wasim  وضاح waddah  ايهاب ihab  اوس aws  اويس uwais  اديب adib
  باهر bahir  جورج george  الياس ilyas  بطرس butrus  بولس bulus  حنا hanna  حفصه hafsa  امينه amina  سكينه sukaina  رقيه ruqayya  كلثوم kulthum
  سميه sumayya  صفيه safiyya  اسماء asma  هاجر hajar  ساره sara  بلقيس bilqis  نوره noura  هدي huda  ندي nada  لبني lubna  بشري bushra  نجوي najwa
  ليلي layla  سلمي salma  سهي suha  رنا rana  ريم reem  رانيا rania  رشا rasha  رباب rabab  رحمه rahma  رجاء rajaa  رغد raghad  روان rawan  دينا dina
  داليا dalia  دلال dalal  دعاء duaa  دنيا dunya  دارين darin  جميله jamila  جيهان jihan  جواهر jawahir  جمانه jumana  حنان hanan  حنين hanin
  حليمه halima  حصه hissa  حياه hayat  خلود khulud  خوله khawla  خنساء khansa  زبيده zubaida  زهراء zahraa  زكيه zakiyya  سعديه sadiya  سميره samira
  ساميه samia  سميحه samiha  سناء sanaa  سوسن sawsan  سهير suhair  سهيله suhaila  شيماء shaima  شيخه shaikha  شهد shahd  شذي shatha  شريفه sharifa
  صبا saba  صابرين sabrin  ضحي duha  عبير abeer  عفاف afaf  علياء alia  عزيزه aziza  غاده ghada  غدير ghadir  فايزه fayza  فاتن fatin  فدوي fadwa
  فريده farida  فردوس firdaws  فوزيه fawziya  كريمه karima  كوثر kawthar  لمياء lamia  لميس lamis  لطيفه latifa  لينا lina  لجين lujain  مها maha
  ماجده majida  منال manal  منيره munira  مروه marwa  ميساء maysa  ميسون maysun  مياده mayyada  ناديه nadia  ناهد nahid  نبيله nabila  نجلاء najla
  نرجس narjis  نسرين nasrin  نهي nuha  نوال nawal  هاله hala  هبه hiba  هند hind  هيفاء haifa  هنادي hanadi  وداد widad  وفاء wafaa  يسري yusra
  اميره amira  ابتسام ibtisam  الهام ilham  امال amal  اروي arwa  اسراء israa  انعام inam  ايناس inas  ايه aya  بثينه buthaina  بسمه basma
  بيان bayan  تهاني tahani  ثريا thuraya  زهرا zahra  بهرام bahram  بهزاد behzad  بهروز behrouz  بهنام behnam  بهمن bahman  بابك babak  بيژن bijan
  پرويز parviz  پرستو parastu  پروانه parvaneh  پريسا parisa  پژمان pejman  پوريا pouria  پويا pouya  پيمان peyman  پدرام pedram  تورج touraj
  تهمينه tahmineh  جمشيد jamshid  چنگيز changiz  خسرو khosrow  داريوش dariush  دارا dara  رستم rostam  رامين ramin  روزبه rouzbeh  رويا roya
  رودابه rudabeh  زيبا ziba  ژاله jaleh  ساسان sasan  سامان saman  سپيده sepideh  سپهر sepehr  ستاره setareh  سهراب sohrab  سياوش siavash
  سيمين simin  سيما sima  سودابه sudabeh  شاپور shapur  شاهين shahin  شاهرخ shahrokh  شهرام shahram  شهروز shahrouz  شهناز shahnaz  شهلا shahla
  شهين shahin  شقايق shaghayegh  شيرين shirin  شيوا shiva  شبنم shabnam  فرامرز faramarz  فرزاد farzad  فرزانه farzaneh  فرهاد farhad  فرشاد farshad
  فرشته fereshteh  فريبا fariba  فريبرز fariborz  فريدون fereydun  فروغ forough  فرناز farnaz  فرنگيس farangis  فيروز firouz  فيروزه firouzeh
  كامران kamran  كامبيز kambiz  كاوه kaveh  كورش kourosh  كيوان keyvan  كيانوش kianoush  كيومرث kiumars  گلناز golnaz  گلشن gulshan
  گلشيفته golshifteh  گيتي giti  لاله laleh  ماهرخ mahrokh  مهران mehran  مهرداد mehrdad  مهرناز mehrnaz  مهناز mahnaz  مهوش mahvash  مسيح masih
  منوچهر manuchehr  منيژه manijeh  مينو minu  نازنين nazanin  ناهيد naheed  نسترن nastaran  نوشين noushin  نيلوفر niloufar  نيما nima  هوشنگ houshang
  هومن houman  هنگامه hengameh  ياسمن yasaman  ارش arash  ارزو arezu  ازاده azadeh  اذر azar  اناهيتا anahita  ارمان arman  اردشير ardeshir
  ارژنگ arjang  اسفنديار esfandiar  افشين afshin  افسانه afsaneh  اميد omid  ايرج iraj  تيمور taimur  نواز nawaz  شهباز shahbaz  شاهد shahid
  اورنگزيب aurangzeb  جهانگير jahangir  ظفر zafar  عظيم azeem  غزاله ghazaleh  گلبدن gulbadan  پروين parvin  جبوري jubouri  تميمي tamimi
  موسوي mousavi  احمدي ahmadi  محمدي mohammadi  حسيني husseini  رضائي rezaei  كريمي karimi  رحيمي rahimi  هاشمي hashimi  قاسمي qasimi  صادقي sadeghi
  جعفري jafari  كاظمي kazemi  باقري bagheri  مرادي moradi  اكبري akbari  اصغري asghari  نجفي najafi  كربلائي karbalai  اصفهاني isfahani
  شيرازي shirazi  تهراني tehrani  تبريزي tabrizi  خراساني khurasani  گيلاني gilani  كاشاني kashani  كرماني kermani  يزدي yazdi  همداني hamadani
  طباطبائي tabatabai  عباسي abbasi  انصاري ansari  قريشي qureshi  صديقي siddiqui  فاروقي faruqi  عثماني usmani  علوي alawi  رضوي rizvi  نقوي naqvi
  زيدي zaidi  عابدي abidi  بخاري bukhari  چوهدري chaudhry  زرداري zardari  اچكزئي achakzai  يوسفزئي yusufzai  كرزئي karzai  غلزئي ghilzai
  نوروزي nowruzi  رستمي rostami  بهرامي bahrami  خاتمي khatami  روحاني rouhani  خميني khomeini  رفسنجاني rafsanjani  لاريجاني larijani
  سيستاني sistani  مالكي maliki  جعفريان jafarian  خوئي khoei  عبيدي ubaidi  دليمي dulaimi  زبيدي zubaidi  شمري shammari  عنزي anazi  عتيبي otaibi
  مطيري mutairi  حربي harbi  قحطاني qahtani  غامدي ghamdi  زهراني zahrani  عسيري asiri  دوسري dosari  سبيعي subaie  رشيدي rashidi  عجمي ajmi
  هاجري hajri  كواري kuwari  كعبي kaabi  شامسي shamsi  ظاهري dhaheri  منصوري mansouri  مهيري muhairi  مزروعي mazrouei  بلوشي balushi  حارثي harthi
  معمري maamari  بوسعيدي busaidi  يعقوبي yaqoubi  خزاعي khuzai  خفاجي khafaji  طائي tai  بياتي bayati  عزاوي azzawi  سامرائي samarrai  تكريتي tikriti
  بغدادي baghdadi  موصلي mawsili  بصري basri  حلبي halabi  دمشقي dimashqi  حمصي homsi  مصري masri  طرابلسي trabelsi  تونسي tunisi  فاسي fassi
  مراكشي marrakchi  قرطبي qurtubi  طنطاوي tantawi  شعراوي sharawi  برادعي baradei  نابلسي nabulsi  مقدسي maqdisi  خطيب khatib  حداد haddad
  نجار najjar  خوري khoury  صباغ sabbagh  خياط khayyat  قباني qabbani  درويش darwish  حريري hariri  سنيوره siniora  زيات zayyat  شافعي shafii
  حنفي hanafi  صنعاني sanani  حضرمي hadrami  ساعدي saedi  دراني durrani
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
