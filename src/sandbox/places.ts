/**
 * Where invented people come from and live: the 36 states, the FCT, and all 774 local government areas of the Constitution's First Schedule under their
 * present names. The table is data; `people.ts` decides how a person uses a place.
 */
import type { GroupName } from '../names/nigerian-names.ts';

export interface Lga {
  name: string;
  towns: readonly string[];
}

export interface State {
  name: string;
  capital: string;
  /** Language groups at home here; a repeated name weighs more. */
  groups: readonly GroupName[];
  lgas: readonly Lga[];
}

/** `state | capital | groups | LGA; LGA=Town; LGA=Town/Town`. An LGA without a town uses its own name (without "North", "Municipal" and so on). */
const TABLE = `
Abia | Umuahia | igbo | Aba North=Aba; Aba South=Aba; Arochukwu; Bende; Ikwuano=Isiala Oboro; Isiala Ngwa North=Okpuala-Ngwa; Isiala Ngwa South=Omoba; Isuikwuato=Mbalano; Obi Ngwa=Mgboko; Ohafia=Ebem Ohafia; Osisioma=Osisioma; Ugwunagbo=Ugwunagbo; Ukwa East=Akwete; Ukwa West=Oke Ikpe; Umuahia North=Umuahia; Umuahia South=Apumiri; Umu Nneochi=Nkwoagu
Adamawa | Yola | hausa hausa bachama | Demsa; Fufure; Ganye; Gayuk; Gombi; Girei; Hong; Jada; Lamurde; Madagali; Maiha; Mayo Belwa; Michika; Mubi North=Mubi; Mubi South=Gella; Numan; Shelleng; Song; Toungo; Yola North=Jimeta; Yola South=Yola
Akwa Ibom | Uyo | efik | Abak; Eastern Obolo=Okoroete; Eket; Esit Eket=Uquo; Essien Udim=Afaha Ikot Ebak; Etim Ekpo=Utu Etim Ekpo; Etinan; Ibeno=Upenekang; Ibesikpo Asutan=Nung Udoe; Ibiono-Ibom=Oko Ita; Ika=Urua Inyang; Ikono=Ibiaku Ntok Okpo; Ikot Abasi; Ikot Ekpene; Ini=Odoro Ikpe; Itu=Mbak Atai; Mbo=Enwang; Mkpat-Enin=Mkpat Enin; Nsit-Atai=Odot; Nsit-Ibom=Afaha Offiong; Nsit-Ubium=Ikot Edibon; Obot Akara=Nto Edino; Okobo=Okopedi; Onna=Abat; Oron; Oruk Anam=Ikot Ibritam; Udung-Uko=Eyofin; Ukanafun=Ikot Akpa Nkuk; Uruan=Idu; Urue-Offong/Oruko=Urue Offong; Uyo
Anambra | Awka | igbo | Aguata=Ekwulobia; Anambra East=Otuocha; Anambra West=Nzam; Anaocha=Neni; Awka North=Achalla; Awka South=Awka/Amawbia; Ayamelum=Anaku; Dunukofia=Ukpo; Ekwusigo=Ozubulu; Idemili North=Ogidi; Idemili South=Ojoto; Ihiala; Njikoka=Abagana; Nnewi North=Nnewi; Nnewi South=Ukpor; Ogbaru=Atani; Onitsha North=Onitsha; Onitsha South=Fegge; Orumba North=Ajalli; Orumba South=Umunze; Oyi=Nteje
Bauchi | Bauchi | hausa | Alkaleri; Bauchi; Bogoro; Damban; Darazo; Dass; Gamawa; Ganjuwa=Kafin Madaki; Giade; Itas/Gadau=Itas; Jama'are=Jama'are; Katagum=Azare; Kirfi; Misau; Ningi; Shira=Yana; Tafawa Balewa; Toro; Warji; Zaki=Katagum
Bayelsa | Yenagoa | ijaw | Brass=Twon-Brass; Ekeremor; Kolokuma/Opokuma=Kaiama; Nembe; Ogbia; Sagbama; Southern Ijaw=Oporoma; Yenagoa=Yenagoa/Kpansia
Benue | Makurdi | tiv tiv idoma | Ado=Igumale; Agatu=Obagaji; Apa=Ugbokpo; Buruku; Gboko; Guma=Gbajimba; Gwer East=Aliade; Gwer West=Naka; Katsina-Ala; Konshisha=Tse-Agberagba; Kwande=Adikpo; Logo=Ugba; Makurdi=Makurdi/North Bank; Obi=Obarike-Ito; Ogbadibo=Otukpa; Ohimini=Idekpa; Oju; Okpokwu=Okpoga; Otukpo; Tarka=Wannune; Ukum=Zaki Biam; Ushongo=Lessel; Vandeikya
Borno | Maiduguri | kanuri kanuri hausa | Abadam=Malumfatori; Askira/Uba=Askira; Bama; Bayo=Briyel; Biu; Chibok; Damboa; Dikwa; Gubio; Guzamala=Guzamala; Gwoza; Hawul=Azare; Jere=Khaddamari; Kaga=Benisheikh; Kala/Balge=Rann; Konduga; Kukawa; Kwaya Kusar; Mafa; Magumeri; Maiduguri=Maiduguri/Bolori; Marte; Mobbar=Damasak; Monguno; Ngala=Gamboru; Nganzai=Gajiram; Shani
Cross River | Calabar | efik efik ejagham | Abi=Itigidi; Akamkpa; Akpabuyo=Ikot Nakanda; Bakassi=Ikang; Bekwarra=Abuochiche; Biase=Akpet Central; Boki=Boje; Calabar Municipal=Calabar; Calabar South=Anantigha; Etung=Effraya; Ikom; Obanliku=Sankwala; Obubra; Obudu; Odukpani; Ogoja; Yakurr=Ugep; Yala=Okpoma
Delta | Asaba | urhobo urhobo igbo ijaw | Aniocha North=Issele-Uku; Aniocha South=Ogwashi-Uku; Bomadi; Burutu; Ethiope East=Abraka/Isiokolo; Ethiope West=Oghara; Ika North East=Owa-Oyibu; Ika South=Agbor; Isoko North=Ozoro; Isoko South=Oleh; Ndokwa East=Aboh; Ndokwa West=Kwale; Okpe=Orerokpe; Oshimili North=Akwukwu-Igbo; Oshimili South=Asaba; Patani; Sapele; Udu=Otor-Udu; Ughelli North=Ughelli; Ughelli South=Otu-Jeremi; Ukwuani=Obiaruku; Uvwie=Effurun; Warri North=Koko; Warri South=Warri; Warri South West=Ogbe-Ijoh
Ebonyi | Abakaliki | igbo | Abakaliki; Afikpo North=Afikpo; Afikpo South=Nguzu Edda; Ebonyi=Ugbodo; Ezza North=Ebiaji; Ezza South=Onueke; Ikwo=Onu Ebonyi; Ishielu=Ezillo; Ivo=Isiaka; Izzi=Iboko; Ohaozara=Obiozara; Ohaukwu=Ezzamgbo; Onicha=Isu
Edo | Benin City | edo | Akoko-Edo=Igarra; Egor=Uselu; Esan Central=Irrua; Esan North-East=Uromi; Esan South-East=Ubiaja; Esan West=Ekpoma; Etsako Central=Fugar; Etsako East=Agenebode; Etsako West=Auchi; Igueben; Ikpoba-Okha=Idogbo; Oredo=Benin City; Orhionmwon=Abudu; Ovia North-East=Okada; Ovia South-West=Iguobazuwa; Owan East=Afuze; Owan West=Sabongida-Ora; Uhunmwonde=Ehor
Ekiti | Ado Ekiti | yoruba | Ado Ekiti; Efon=Efon-Alaaye; Ekiti East=Omuo; Ekiti South-West=Ilawe; Ekiti West=Aramoko; Emure=Emure-Ekiti; Gbonyin=Ode-Ekiti; Ido-Osi=Ido-Ekiti; Ijero=Ijero-Ekiti; Ikere=Ikere-Ekiti; Ikole=Ikole-Ekiti; Ilejemeje=Iye-Ekiti; Irepodun/Ifelodun=Igede-Ekiti; Ise/Orun=Ise-Ekiti; Moba=Otun-Ekiti; Oye=Oye-Ekiti
Enugu | Enugu | igbo | Aninri=Ndeaboh; Awgu; Enugu East=Nkwo Nike; Enugu North=Enugu; Enugu South=Uwani; Ezeagu=Aguobu-Owa; Igbo-Etiti=Ogbede; Igbo-Eze North=Enugu-Ezike; Igbo-Eze South=Ibagwa-Aka; Isi Uzo=Ikem; Nkanu East=Amagunze; Nkanu West=Agbani; Nsukka; Oji River; Udenu=Obollo-Afor; Udi; Uzo-Uwani=Umulokpa
FCT | Abuja | gbagyi gbagyi hausa | Abaji; Abuja Municipal=Garki/Wuse/Gwarinpa/Jabi; Bwari=Bwari/Kubwa; Gwagwalada; Kuje; Kwali
Gombe | Gombe | hausa | Akko=Kumo; Balanga=Talasse; Billiri; Dukku; Funakaye=Bajoga; Gombe; Kaltungo; Kwami=Mallam Sidi; Nafada; Shongom=Boh; Yamaltu/Deba=Deba
Imo | Owerri | igbo | Aboh Mbaise=Aboh; Ahiazu Mbaise=Afor Oru; Ehime Mbano=Umuezeala; Ezinihitte=Itu; Ideato North=Urualla; Ideato South=Dikenafai; Ihitte/Uboma=Isinweke; Ikeduru=Iho; Isiala Mbano=Umuelemai; Isu=Umundugba; Mbaitoli=Nwaorieubi; Ngor Okpala=Umuneke; Njaba=Nnenasa; Nkwerre; Nwangele=Amaigbo; Obowo=Otoko; Oguta; Ohaji/Egbema=Mmahu; Okigwe; Onuimo=Okwe; Orlu; Orsu=Awo Idemili; Oru East=Omuma; Oru West=Mgbidi; Owerri Municipal=Owerri; Owerri North=Orie Uratta; Owerri West=Umuguma
Jigawa | Dutse | hausa | Auyo; Babura; Biriniwa; Birnin Kudu; Buji=Gantsa; Dutse; Gagarawa; Garki; Gumel; Guri; Gwaram; Gwiwa; Hadejia; Jahun; Kafin Hausa; Kaugama; Kazaure; Kiri Kasama; Kiyawa; Maigatari; Malam Madori; Miga; Ringim; Roni; Sule Tankarkar; Taura; Yankwashi=Karkarna
Kaduna | Kaduna | hausa hausa gbagyi | Birnin Gwari; Chikun=Kujama/Sabon Tasha; Giwa; Igabi=Turunku/Rigachikun; Ikara; Jaba=Kwoi; Jema'a=Kafanchan; Kachia; Kaduna North=Kaduna; Kaduna South=Makera; Kagarko; Kajuru; Kaura=Kaura; Kauru; Kubau=Anchau; Kudan=Hunkuyi; Lere=Saminaka; Makarfi; Sabon Gari=Sabon Gari; Sanga=Gwantu; Soba=Maigana; Zangon Kataf=Zonkwa; Zaria
Kano | Kano | hausa | Ajingi; Albasu; Bagwai; Bebeji; Bichi; Bunkure; Dala; Dambatta; Dawakin Kudu; Dawakin Tofa; Doguwa=Riruwai; Fagge; Gabasawa=Zakirai; Garko; Garun Mallam; Gaya; Gezawa; Gwale; Gwarzo; Kabo; Kano Municipal=Kano; Karaye; Kibiya; Kiru; Kumbotso; Kunchi; Kura; Madobi; Makoda; Minjibir; Nasarawa=Bompai; Rano; Rimin Gado; Rogo; Shanono; Sumaila; Takai; Tarauni; Tofa; Tsanyawa; Tudun Wada; Ungogo; Warawa; Wudil
Katsina | Katsina | hausa | Bakori; Batagarawa; Batsari; Baure; Bindawa; Charanchi; Dan Musa; Dandume; Danja; Daura; Dutsi; Dutsin-Ma; Faskari; Funtua; Ingawa; Jibia; Kafur; Kaita; Kankara; Kankia; Katsina; Kurfi; Kusada; Mai'Adua=Mai'Adua; Malumfashi; Mani; Mashi; Matazu; Musawa; Rimi; Sabuwa; Safana; Sandamu; Zango
Kebbi | Birnin Kebbi | hausa | Aleiro; Arewa Dandi=Kangiwa; Argungu; Augie; Bagudo; Birnin Kebbi; Bunza; Dandi=Kamba; Fakai=Mahuta; Gwandu; Jega; Kalgo; Koko/Besse=Koko; Maiyama; Ngaski=Wara; Sakaba=Dirin Daji; Shanga; Suru=Dakingari; Wasagu/Danko=Ribah; Yauri; Zuru
Kogi | Lokoja | igala igala ebira yoruba | Adavi=Ogaminana; Ajaokuta; Ankpa; Bassa=Oguma; Dekina; Ibaji=Onyedega; Idah; Igalamela-Odolu=Ajaka; Ijumu=Iyara; Kabba/Bunu=Kabba; Kogi=Koton-Karfe; Lokoja; Mopa-Muro=Mopa; Ofu=Ugwolawo; Ogori/Magongo=Akpafa; Okehi=Obangede; Okene; Olamaboro=Okpo; Omala=Abejukolo; Yagba East=Isanlu; Yagba West=Odo-Ere
Kwara | Ilorin | yoruba yoruba yoruba nupe | Asa=Afon; Baruten=Kosubosu; Edu=Lafiagi; Ekiti=Araromi-Opin; Ifelodun=Share; Ilorin East=Oke-Oyi; Ilorin South=Fufu; Ilorin West=Ilorin; Irepodun=Omu-Aran; Isin=Owu-Isin; Kaiama; Moro=Bode Saadu; Offa; Oke Ero=Iloffa; Oyun=Ilemona; Pategi
Lagos | Ikeja | yoruba | Agege; Ajeromi-Ifelodun=Ajegunle; Alimosho=Egbeda/Ikotun/Ipaja; Amuwo-Odofin=Festac Town; Apapa; Badagry; Epe; Eti-Osa=Lekki/Ikoyi/Victoria Island; Ibeju-Lekki=Akodo/Bogije; Ifako-Ijaiye=Ojokoro; Ikeja=Ikeja/Ogba; Ikorodu; Kosofe=Ketu/Ojota; Lagos Island=Lagos Island; Lagos Mainland=Ebute Metta/Yaba; Mushin; Ojo=Okokomaiko; Oshodi-Isolo=Oshodi/Isolo; Somolu=Somolu/Bariga; Surulere=Surulere/Aguda
Nasarawa | Lafia | hausa eggon gbagyi | Akwanga; Awe; Doma; Karu=New Karu/Mararaba; Keana; Keffi; Kokona=Garaku; Lafia; Nasarawa; Nasarawa Egon=Nasarawa Eggon; Obi; Toto; Wamba
Niger | Minna | nupe nupe hausa gbagyi | Agaie; Agwara; Bida; Borgu=New Bussa; Bosso=Maikunkele; Chanchaga=Minna; Edati=Enagi; Gbako=Lemu; Gurara=Gawu Babangida; Katcha; Kontagora; Lapai; Lavun=Kutigi; Magama=Nasko; Mariga=Bangi; Mashegu; Mokwa; Munya=Sarkin Pawa; Paikoro=Paiko; Rafi=Kagara; Rijau; Shiroro=Kuta; Suleja; Tafa=Sabon Wuse; Wushishi
Ogun | Abeokuta | yoruba | Abeokuta North=Akomoje; Abeokuta South=Abeokuta; Ado-Odo/Ota=Ota/Sango; Yewa North=Ayetoro; Yewa South=Ilaro; Ewekoro=Itori; Ifo; Ijebu East=Ogbere; Ijebu North=Ijebu-Igbo; Ijebu North East=Atan; Ijebu Ode; Ikenne; Imeko Afon=Imeko; Ipokia; Obafemi Owode=Owode Egba/Mowe; Odeda; Odogbolu; Ogun Waterside=Abigi; Remo North=Isara; Shagamu=Sagamu
Ondo | Akure | yoruba yoruba yoruba ijaw | Akoko North-East=Ikare; Akoko North-West=Oke-Agbe; Akoko South-East=Isua; Akoko South-West=Oka; Akure North=Iju; Akure South=Akure; Ese Odo=Igbekebo; Idanre; Ifedore=Igbara-Oke; Ilaje=Igbokoda; Ile Oluji/Okeigbo=Ile-Oluji; Irele=Ode-Irele; Odigbo=Ore; Okitipupa; Ondo East=Bolorunduro; Ondo West=Ondo; Ose=Ifon; Owo
Osun | Osogbo | yoruba | Aiyedaade=Gbongan; Aiyedire=Ile Ogbo; Atakumosa East=Iperindo; Atakumosa West=Osu; Boluwaduro=Otan Ayegbaju; Boripe=Iragbiji; Ede North=Oja Timi; Ede South=Ede; Egbedore=Awo; Ejigbo; Ife Central=Ile-Ife; Ife East=Oke-Ogbo; Ife North=Ipetumodu; Ife South=Ifetedo; Ifedayo=Oke-Ila; Ifelodun=Ikirun; Ila=Ila Orangun; Ilesa East=Ilesa; Ilesa West=Ereja; Irepodun=Ilobu; Irewole=Ikire; Isokan=Apomu; Iwo; Obokun=Ibokun; Odo Otin=Okuku; Ola Oluwa=Bode Osi; Olorunda=Igbona; Oriade=Ijebu-Jesa; Orolu=Ifon-Osun; Osogbo
Oyo | Ibadan | yoruba | Afijio=Jobele; Akinyele=Moniya; Atiba=Oyo; Atisbo=Tede; Egbeda=Egbeda; Ibadan North=Agodi/Bodija; Ibadan North-East=Iwo Road; Ibadan North-West=Onireke; Ibadan South-East=Mapo; Ibadan South-West=Ring Road; Ibarapa Central=Igbo-Ora; Ibarapa East=Eruwa; Ibarapa North=Ayete; Ido; Irepo=Kisi; Iseyin; Itesiwaju=Otu; Iwajowa=Iwere-Ile; Kajola=Okeho; Lagelu=Iyana Offa; Ogbomosho North=Ogbomosho; Ogbomosho South=Arowomole; Ogo Oluwa=Ajaawa; Olorunsogo=Igbeti; Oluyole=Idi Ayunre; Ona Ara=Akanran; Orelope=Igboho; Ori Ire=Ikoyi-Ile; Oyo East=Kosobo; Oyo West=Ojongbodu; Saki East=Ago-Amodu; Saki West=Saki; Surulere=Iresa-Adu
Plateau | Jos | berom berom hausa | Barkin Ladi; Bassa; Bokkos; Jos East=Angware; Jos North=Jos; Jos South=Bukuru; Kanam=Dengi; Kanke=Kwal; Langtang North=Langtang; Langtang South=Mabudi; Mangu; Mikang=Tunkus; Pankshin; Qua'an Pan=Ba'ap; Riyom; Shendam; Wase
Rivers | Port Harcourt | ijaw ikwerre ogoni | Abua/Odual=Abua; Ahoada East=Ahoada; Ahoada West=Akinima; Akuku-Toru=Abonnema; Andoni=Ngo; Asari-Toru=Buguma; Bonny; Degema; Eleme=Ogale; Emohua; Etche=Okehi; Gokana=Kpor; Ikwerre=Isiokpo; Khana=Bori; Obio/Akpor=Rumuokoro/Rumuola; Ogba/Egbema/Ndoni=Omoku; Ogu/Bolo=Ogu; Okrika; Omuma=Eberi; Opobo/Nkoro=Opobo; Oyigbo; Port Harcourt=Port Harcourt/Diobu; Tai=Sakpenwa
Sokoto | Sokoto | hausa | Binji; Bodinga; Dange Shuni=Dange; Gada; Goronyo; Gudu=Balle; Gwadabawa; Illela; Isa; Kebbe; Kware; Rabah; Sabon Birni; Shagari; Silame; Sokoto North=Sokoto; Sokoto South=Sokoto; Tambuwal; Tangaza; Tureta; Wamako; Wurno; Yabo
Taraba | Jalingo | jukun jukun hausa | Ardo Kola=Sunkani; Bali; Donga; Gashaka=Serti; Gassol=Mutum Biyu; Ibi; Jalingo; Karim Lamido; Kurmi=Ba'Issa; Lau; Sardauna=Gembu; Takum; Ussa=Lissam; Wukari; Yorro=Pantisawa; Zing
Yobe | Damaturu | kanuri kanuri hausa | Bade=Gashua; Bursari=Dapchi; Damaturu; Fika; Fune=Damagum; Geidam; Gujba=Buni Yadi; Gulani=Bara; Jakusko; Karasuwa; Machina; Nangere=Sabon Garin Nangere; Nguru; Potiskum; Tarmuwa=Babangida; Yunusari=Kanamma; Yusufari
Zamfara | Gusau | hausa | Anka; Bakura; Birnin Magaji; Bukkuyum; Bungudu; Tsafe; Gummi; Gusau; Kaura Namoda; Maradun; Maru; Shinkafi; Talata Mafara; Zurmi
`;

function parseLga(text: string): Lga {
  const [name = '', towns] = text.trim().split('=');
  return { name, towns: towns?.split('/') ?? [name.replace(/ (North|South|East|West|Central|Municipal)(-(East|West))?$/, '')] };
}

function parseState(line: string): State {
  const [name = '', capital = '', groups = '', lgas = ''] = line.split(' | ');
  return { name, capital, groups: groups.split(' ') as GroupName[], lgas: lgas.split(';').map(parseLga) };
}

export const STATES: readonly State[] = TABLE.trim().split('\n').map(parseState);

/** One entry for each LGA, so that a uniform draw weighs a state by its number of LGAs (which roughly follows its population). */
export const HOMES: readonly { state: State; lga: Lga }[] = STATES.flatMap((state) => state.lgas.map((lga) => ({ state, lga })));

/** Where people who left home live: the large cities, weighted by repetition. */
const METROPOLES = ['Lagos', 'Lagos', 'Lagos', 'Lagos', 'FCT', 'FCT', 'Rivers', 'Kano', 'Oyo', 'Kaduna', 'Ogun', 'Enugu', 'Edo', 'Plateau'];
export const CITIES: readonly { state: State; lga: Lga }[] = METROPOLES.flatMap((name) => HOMES.filter(({ state }) => state.name === name));

export const STREETS: readonly string[] = [
  'Ahmadu Bello Way',
  'Aminu Kano Crescent',
  'Awolowo Road',
  'Azikiwe Street',
  'Church Street',
  'College Road',
  'Court Road',
  'Garden Avenue',
  'GRA Road',
  'Herbert Macaulay Street',
  'Hospital Road',
  'Independence Way',
  'Lagos Street',
  'Liberty Road',
  'Market Road',
  'Mission Road',
  'Mosque Street',
  'Murtala Muhammed Way',
  'New Layout Road',
  'Old Garage Road',
  'Palace Road',
  'Polytechnic Road',
  'Post Office Road',
  'Railway Avenue',
  'School Road',
  'Secretariat Road',
  'Station Road',
  'Tafawa Balewa Street',
  'Unity Close',
  'Waterworks Road',
];

export const LANDMARKS: readonly string[] = [
  'Behind the central market',
  'Beside the health centre',
  'By the old motor park',
  'Close to the post office',
  'Near the local government secretariat',
  'Off the ring road',
  'Opposite the filling station',
  'Opposite the primary school',
];
