/**
 * Given names and surnames by language group. Thousands of people bear each name. `sandbox/people.ts` combines them, so its people are invented
 * although every name is common.
 */

export type GroupName =
  | 'bachama'
  | 'berom'
  | 'ebira'
  | 'edo'
  | 'efik'
  | 'eggon'
  | 'ejagham'
  | 'gbagyi'
  | 'hausa'
  | 'idoma'
  | 'igala'
  | 'igbo'
  | 'ijaw'
  | 'ikwerre'
  | 'jukun'
  | 'kanuri'
  | 'nupe'
  | 'ogoni'
  | 'tiv'
  | 'urhobo'
  | 'yoruba';

export interface Group {
  /** The mother tongue, as the registries write it. */
  language: string;
  /** Percentage of Muslims in the group's invented population. */
  muslimPercent: number;
  male: readonly string[];
  female: readonly string[];
  surnames: readonly string[];
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

function group(language: string, muslimPercent: number, male: string, female: string, surnames: string): Group {
  return { language, muslimPercent, male: words(male), female: words(female), surnames: words(surnames) };
}

export const GROUPS: Record<GroupName, Group> = {
  yoruba: group(
    'YORUBA',
    40,
    `Abiodun Adebayo Adebola Adedayo Adekunle Ademola Adeniyi Adetunji Adewale Akinola Akinwale Ayodele Ayomide Babajide Babatunde
     Bolaji Damilare Femi Gbenga Idowu Kayode Kehinde Kolawole Olalekan Olamide Olanrewaju Olatunji Olufemi Olumide Olusegun Oluwaseun
     Oluwatobi Opeyemi Rotimi Segun Taiwo Tolulope Tunde`,
    `Abimbola Abosede Adebimpe Adenike Adesewa Adetoun Aderonke Anuoluwapo Ayobami Bimpe Bolanle Bukola Ebunoluwa Fehintola Folake
     Folasade Foluke Funmilayo Ibukun Iyabo Jumoke Kehinde Mojisola Modupe Morenike Morolake Olabisi Olayinka Oluwaseyi Omolara Omotola
     Ronke Simisola Taiwo Temitope Titilayo Yetunde Yewande`,
    `Abiola Adebanjo Adebayo Adedeji Adefarati Adegoke Adekoya Adeleke Ademola Adeniran Adeoye Aderibigbe Adesanya Adewumi Adeyemi Afolabi
     Ajayi Akande Akinbode Akindele Akinyemi Alabi Aluko Arowolo Asaolu Awoyemi Ayeni Babalola Balogun Bamidele Dada Durojaiye Fadipe
     Fagbemi Falade Fasasi Gbadamosi Ibitoye Jegede Kolade Ladipo Lawal Makinde Odukoya Ogunbiyi Ogundele Ogunleye Ojo Okunola Oladapo
     Olaniyan Olatunde Oluwole Omotosho Onabanjo Oyebanji Oyedele Oyewole Salako Shittu Shobowale Sodipo Sowande`,
  ),
  igbo: group(
    'IGBO',
    1,
    `Afamefuna Amaechi Arinze Azubuike Chibueze Chibuike Chidi Chidiebere Chidubem Chigozie Chijioke Chikezie Chima Chinedu Chinonso
     Chisom Chukwudi Chukwuebuka Chukwuemeka Ebuka Echezona Emeka Ifeanyi Ikechukwu Ikenna Izuchukwu Kelechi Kenechukwu Nnaemeka
     Nnamdi Nonso Obinna Obiora Okechukwu Okwudili Onyekachi Somtochukwu Tochukwu Ugochukwu Uzochukwu`,
    `Adaeze Adaobi Amaka Amarachi Chiamaka Chidera Chidimma Chika Chikaodili Chinasa Chinenye Chinwe Chinyere Chioma Ebele Ekene
     Ezinne Ginika Ifeoma Ifunanya Ijeoma Kamsiyochukwu Kosisochukwu Ngozi Nkechi Nkiruka Nneka Nneoma Nwakaego Obiageli Ogechi Olanma
     Oluchi Onyinye Onyinyechi Somadina Uchechi Ugochi Uju Urenna`,
    `Agbasi Aguiyi Akabueze Akunne Amadi Anene Aneke Anyanwu Chukwu Chukwuma Dike Duru Ebo Echendu Egbuna Ejike
     Eneh Eze Ezeani Ezeh Ezeilo Ezenwa Ibe Ibekwe Igboanugo Igwe Ike Iloh Iroegbu Iwu Madu Maduka Mbah Mbanefo
     Mgbeke Ndukwe Njoku Nnadi Nnaji Nwachukwu Nwafor Nwankwo Nweke Nwokedi Nwosu Obi Obiora Ofoegbu Ogbonna Ohaeri Okafor Okeke Okereke
     Okoli Okonkwo Okorie Okoye Onuoha Onwuka Onyema Opara Osuji Ozoemena Udeh Ugwu Umeh Uzoma Uzor`,
  ),
  hausa: group(
    'HAUSA',
    94,
    `Abba Abdullahi Abdulrahman Abubakar Adamu Ahmad Aliyu Aminu Anas Auwal Bashir Bello Dahiru Dauda Faisal Faruk Garba Habibu
     Haruna Hassan Husaini Ibrahim Idris Isah Ismail Jamilu Kabiru Khalid Lawal Mahmud Mansur Muhammad Musa Mustapha Nasiru Nura Sadiq
     Salisu Sani Shehu Sulaiman Surajo Tijjani Umar Usman Yahaya Yakubu Yusuf Zayyanu`,
    `Aisha Amina Asiya Asmau Bilkisu Binta Fadila Farida Fatima Fauziyya Habiba Hadiza Hafsat Halima Hassana Hauwa Hindatu Hussaina
     Jamila Khadija Ladidi Lubabatu Maimuna Mariya Maryam Nafisa Nana Rabi Rahama Ramatu Rukayya Sadiya Safiya Sakina Salamatu Samira
     Saratu Shamsiyya Sumayya Talatu Umma Zainab Zaliha Zubaida Zulaihat`,
    `Abba Abdulkadir Abdullahi Abubakar Adamu Aliyu Baba Balarabe Bako Bala Barau Bashir Bello Danjuma Danladi Dauda Dikko Dogo Gado
     Galadima Gambo Garba Gwarzo Habib Haruna Hassan Ibrahim Idris Inuwa Isah Jibril Kabir Kaita Kangiwa Lawal Liman Madaki Magaji
     Mahmud Maigari Makama Maikudi Mohammed Musa Mustapha Nuhu Rabiu Saidu Salihu Sambo Sani Shehu Suleiman Tanko Tukur Umar Usman Wada
     Wakili Waziri Yahaya Yakubu Yusuf Zubairu`,
  ),
  edo: group(
    'EDO',
    8,
    `Aigbe Aisosa Ehizojie Efosa Ehis Eghosa Eromosele Esosa Etinosa Idahosa Iyobosa Nosakhare Odion Osagie Osamudiamen Osaretin Osarodion
     Osaze Oseremen Osahon Osasu Uyi`,
    `Adesuwa Aisosa Amenze Efe Ehimwenma Eki Esohe Etinosa Imuetinyan Isoken Itohan Ivie Iyobosa Izegbuwa Nosa Omosede Omoyemwen
     Osarugue Osayemwenre Uwa`,
    `Agbonifo Aghedo Aigbogun Airhiavbere Aiyamenkhue Ehigiator Ehikhamenor Eguavoen Ekhator Enabulele Ero Evbuomwan Idahosa Idemudia
     Igbinosa Iyamu Izevbigie Odigie Ogbeide Ogbemudia Ogieva Okojie Omoregbe Omoregie Osagiede Oseghale Osunde Uwaifo`,
  ),
  efik: group(
    'EFIK/IBIBIO',
    1,
    `Akan Aniekan Aniefiok Anietie Bassey Edet Effiong Ekong Emem Eno Essien Etim Eyo Idongesit Imoh Inyang Ita Itoro Iniobong Kufre
     Mfon Nsikak Nsima Okon Otobong Ubong Udeme Ufot Uduak Uwem`,
    `Abasiama Akaninyene Akon Aniema Arit Asari Atim Ekaette Eka Ekanem Ekemini Emem Eme Eno Glory Idara Imaobong Ima Ini Iquo Itoro
     Mbong Mfonobong Nkoyo Nsini Uduak Ukeme Unyime Uyai Utibe`,
    `Akpan Archibong Asuquo Attah Bassey Duke Ebong Edem Edet Effiong Ekanem Ekong Ekpenyong Ekpo Enang Essien Etim Etuk Etukudo
     Eyo Henshaw Ikpe Inyang Isong Itam Ita Nkanga Nsa Nyong Offiong Okon Okpon Otu Udo Udofia Udoh Udosen Ukpong Umoh Uko Utuk`,
  ),
  ijaw: group(
    'IJAW',
    1,
    `Ayebatari Ayibakuro Boma Dakoru Ebi Ebikabowei Ebimobowei Ebitimi Ibinabo Ibiso Kemepade Miebi Opubo Oyintonbra Perekeme Preye
     Sokari Tamunoemi Tamunotonye Tari Tonye Tubonimi`,
    `Alaere Ayebaemi Biobele Boma Doubra Ebiere Ebikeme Ebinimi Ibiba Ibifuro Ibinabo Ibiere Inemo Miesoma Ngowari Pere Preye
     Somieari Tamunosaki Tarila Timi`,
    `Agbedi Alagoa Amachree Amakiri Ayakpo Bekederemo Braide Briggs Daukoru Dickson Dokubo Ebebi Ekiyor Erasmus Etete Fubara Georgewill
     Hart Horsfall Iyalla Jumbo Kalango Koroye Lawson Nengi Ogbomah Okara Okilo Orubebe Pepple Perekosufa Seibokuro Tamuno Warmate Werinipre`,
  ),
  tiv: group(
    'TIV',
    1,
    `Aondoakaa Aondofa Aondohemba Aondona Aondover Iorfa Iorhemen Msughter Orduen Sesugh Tarkighir Terfa Terhemba Terhemen Terkimbi Terlumun
     Ternenge Terngu Terseer Tersoo Tertsea Tyover`,
    `Aver Dooshima Dooter Doose Erdoo Hembadoon Iember Iveren Kpadoo Mbakeren Mimidoo Mnena Msurshima Mwuese Ngohide Ngunan Nguher Nguwasen
     Seember Shiminenge Sewuese Wandoo`,
    `Abaagu Agber Akaahan Akiga Akpen Anum Anyam Asen Atim Ayua Chia Dzungwe Gbande Gyuse Hemba Igbawua Iorhuna Iortyer Ityav Jato
     Kaase Kume Mbakaan Mngutyo Nyam Orkar Shija Tarhule Torkula Tsegba Tyoden Uji Ukaha Vembe Wuhe Yandev`,
  ),
  kanuri: group(
    'KANURI',
    97,
    `Abatcha Abba Alhaji Ali Babagana Bukar Bulama Goni Grema Ibrahim Kachalla Kaka Kolo Kyari Lawan Mala Mallam Modu Mohammed Mustapha
     Tijani Umara Usman Zanna`,
    `Aisa Amina Bintu Falmata Fanna Fati Gambo Hadiza Hajja Hauwa Inna Kaltum Kellu Maimuna Maryam Ngubdo Umma Yabawa Yagana Yakaka Zahra
     Zainab Zara`,
    `Abatcha Abbagana Abdulkarim Alkali Ashemi Babagana Bukar Bulama Dalori Galtimari Geidam Goni Grema Gubio Ibrahim Imam Kachalla Kawu
     Kolo Konduga Kyari Lawan Liman Mallambe Modu Monguno Ngala Terab Umara Wakil Yale Zannah`,
  ),
  urhobo: group(
    'URHOBO/ISOKO',
    1,
    `Akpobome Avwerosuo Efe Efemena Ejiro Emuobo Erhuvwu Ese Eseoghene Kome Ochuko Oghale Oghenekaro Oghenero Oghenetega Oghenevwede
     Ogheneovo Onoriode Ovie Rukevwe Tega Voke`,
    `Akpezi Aruoture Efeturi Ejiro Elohor Emuesiri Ese Eserovwe Jite Mamode Mitaire Oghenefejiro Oghenemaro Oghogho Omamuyovwi Onome
     Orezime Rukky Tejiri Ufuoma Uvie Voke`,
    `Agbaje-Ovie Agbro Akpobasa Akpoveta Atare Avwenagha Dafe Edafe Edewor Efeduma Egbedi Ejinyere Emuobor Enakpoya Erhabor Eruemulor Esiri
     Etaghene Idolor Igho Ikpen Jakpor Mowoe Obaro Odiete Oghenejobo Ogodo Okagbare Okotie Omamogho Onokpasa Onosode
     Oritsema Otobo Oyibo Udogri Ukavwe Uvwie`,
  ),
  idoma: group(
    'IDOMA',
    3,
    `Abah Adah Agbo Ameh Echeofun Ejeh Enenche Idoko Igoche Inalegwu Oche Ochigbo Ochonu Ogaba Ogbole Okopi Onma Onuh Otokpa Owoicho`,
    `Agbenu Ajuma Alapa Anyebe Ehi Ekojah Enuwa Eneh Enojo Ihotu Mercy Ochanya Ogenyi Ole Onyaole Onyeche Ene`,
    `Abah Abutu Adaji Adikwu Agada Agbo Akatu Akor Alechenu Ameh Anyebe Audu Ebute Echono Edache Edoh Egwu Ejembi Elaigwu Enokela Idoko
     Igomu Inalegwu Ochai Oche Odeh Ogah Ogbu Ogwuche Okpe Omale Onah Onoja Otache Owoicho`,
  ),
  nupe: group(
    'NUPE',
    92,
    `Abdullahi Aliyu Baba Idris Isah Jiya Kolo Kudu Mahmud Manko Mohammed Ndako Ndagi Nma Saba Shaba Sule Tsado Umaru Yahaya`,
    `Aisha Amina Dlaka Fatima Gogo Habiba Hadiza Halima Hawawu Khadijat Kaka Mairo Mariam Nana Nnadzwa Rabi Rakiya Salamatu Yawo Zainab`,
    `Alfa Baba Bida Dangana Etsu Gana Gimba Idris Jiya Jibrin Kolo Kpaki Kudu Kutigi Lafiagi Lemu Liman Maiyaki Mamman Manko Ndabida Ndagi Ndako
     Ndaliman Ndanusa Ndayako Nma Saba Sheshi Shaba Tsado Tswanya Wuya Yisa`,
  ),
  igala: group(
    'IGALA',
    40,
    `Achimugu Adejoh Agbonika Ameh Atodo Attah Eleojo Enemali Haruna Idakwo Ilemona Musa Ocholi Ojonugwa Ojochenemi Okolo Onoja Sani Ufedo
     Yakubu`,
    `Ajifa Ajuma Amina Ele Eneojo Enyo Hadiza Iye Ladi Ojochide Ojone Ojoma Omeneke Onechojo Rakiya Ramatu Ufedojo Ugbede Unekwu Zainab`,
    `Abalaka Abuh Achema Achimugu Adaji Adejoh Agada Aguye Akoh Alfa Ameh Atadoga Attah Audu Egwuda Ejiga Enemona Idachaba Ikani Isah Itodo
     Ocheja Ochida Odoma Ogbadu Ogohi Ojodale Okolo Okpanachi Omachonu Onuche Sule Umoru Usman`,
  ),
  ebira: group(
    'EBIRA',
    75,
    `Abdulmalik Adavize Adeiza Ahmed Ajinomoh Asuku Avidime Enesi Ibrahim Isa Itopa Jimoh Ohiare Ohinoyi Onimisi Onipe Ozovehe Salihu Suberu
     Yusuf`,
    `Aminat Anawureyi Asmau Avosuahi Eneze Fatima Hawawu Hauwa Memunat Ohunene Oiza Onyioza Omeiza Ometere Onize Ozioma Rabiatu Rekiya
     Salamatu Zainab`,
    `Abdulazeez Abdulsalam Adeiza Adinoyi Ahmadu Ajanah Asuku Attah Audu Avidime Badamasi Enesi Ibrahim Idris Itopa Jamiu Momoh Ohiare Okene
     Ogembe Ohida Onimisi Onoruoiza Onsachi Otaru Ozigi Salami Siyaka Suberu Yahaya Yakubu Zubair`,
  ),
  gbagyi: group(
    'GBAGYI',
    25,
    `Amos Ayuba Bulus Dangana Danjuma Daniel Dauda Gambo Ishaya Istifanus Joseph Luka Markus Musa Nathaniel Samuel Shekwolo Yakubu Yohanna
     Zakaria`,
    `Asabe Assibi Christiana Deborah Esther Hannatu Jummai Kande Ladi Laraba Lydia Martha Monica Naomi Rahila Rebecca Rifkatu Sarah Tabitha
     Talatu`,
    `Adamu Ayuba Bagudu Baba Barde Bawa Bitrus Bulus Dangana Danladi Dogara Gade Galadima Gimba Gwamna Gwatana Ishaku Jatau Kaura Kuyambana
     Makeri Musa Nuhu Sarki Shekari Shekwo Tanko Wakili Wodi Yakubu Yari Zakka Zhiri`,
  ),
  berom: group(
    'BEROM',
    2,
    `Bature Bot Chollom Choji Chuwang Dachung Dalyop Davou Dung Gyang Iliya Jang Luka Mafeng Mwadkwon Nyam Pam Sambo Shom Toma`,
    `Chundung Esther Felicia Hannatu Kaneng Kangyang Kumbo Lyop Martha Naomi Nerat Ngo Nvou Polohlis Rahila Rebecca Rose Rifkatu Simi Vou`,
    `Bature Bot Choji Chollom Chuwang Dachomo Dalyop Davou Dung Fom Gwom Gyang Jang Jatau Jock Jugu Kwon Lenka Mancha Mandung Mwadkon Nyango
     Pam Pwajok Rwang Sambo Shut Tok Toma Tsok Wash Zi`,
  ),
  jukun: group(
    'JUKUN',
    10,
    `Agbu Amos Angyu Ando Ayuba Bitrus Caleb Danjuma Emmanuel Ezekiel Garba Habila Ishaya Istifanus Joel Manasseh Nuhu Sabo Samuel Solomon`,
    `Agyo Asenath Awuji Comfort Dorcas Esther Grace Hannatu Helen Jummai Ladi Lami Lydia Martha Naomi Rahila Ruth Saraya Tabitha Victoria`,
    `Adi Adda Agbu Agyo Ahmadu Andokari Angyu Ashu Ashumate Atenji Atoshi Audu Bako Bala Danjuma Gani Gbashi Hamman Ibi Jen Kente Kuji
     Maigida Nuhu Nyame Sabo Shitta Tanko Tsokwa Useni Wunuji Yakubu Zaku`,
  ),
  bachama: group(
    'BACHAMA',
    5,
    `Alfred Bulus Daniel David Ezra Hamidu Homun Ishaya Japheth Kwaji Linus Murtala Nathan Nzomiwu Obed Pwavimbo Samson Sani Timawus Zidon`,
    `Asabe Deborah Elizabeth Esther Hannatu Jemimah Juliana Laraba Lydia Nanko Naomi Pwamadi Pwana Rahab Rebecca Rhoda Ruth Sarah Talatu Zilpah`,
    `Bako Bulus Bwalki Dimas Disa Dowyaro Fwa Gamaliel Gideon Hananiya Homa Jalo Jauro Kadala Kpanachi Kwaghe Mbodwam Mbula Ngbale Nzeanzo
     Nzonzo Pwajok Pwalas Sawa Shagnah Teneke Tumba Vandi Wambai Yonana Zadok Zira`,
  ),
  ejagham: group(
    'EJAGHAM',
    1,
    `Agbor Ashu Ayuk Besong Eban Egbe Emmanuel Etta Ewa Godwin Ntui Obi Ogar Ojong Okim Osim Otu Oyama Tabe Tawo`,
    `Achi Agnes Akan Arah Asam Atim Aya Bisong Ekei Enoh Esther Glory Grace Manyi Mary Nchi Ndoma Njar Orock Ukeme`,
    `Abang Agba Agbor Agim Akpama Ashu Ayuk Bisong Ebaye Ebri Edim Egbe Egbai Enow Eta Etta Ewah Mbu Ndifon Ndoma Ntui Obun Odey Ogar Oji
     Ojong Okim Okpa Onor Oru Osim Otu Oyama Takon Tawo Ubi`,
  ),
  ikwerre: group(
    'IKWERRE',
    1,
    `Ajuru Amadi Azubuike Chibuzor Chidi Chikere Chile Chinwo Ejike Emenike Kinikanwo Manuchim Mgbeodi Nyema Nyeche Obinna Okechukwu Ovunda
     Sunday Worlu`,
    `Adanne Chigeru Chikamso Chimenem Chinyere Chituru Eberechi Ezinwanne Gladys Hope Kesiena Mercy Ngozi Nkemdi Nyekachi Ogechukwu Oluchi
     Peace Rejoice Wobiaka`,
    `Achinike Ajie Akani Amadi Amaewhule Azunda Chinda Chinwo Chukwu Echendu Ejekwu Ejiowhor Elechi Eleonu Emenike Ezekwe Ikenwoke Iwo
     Mpi Ndah Nyeche Nwala Nwuche Obuzor Ogbonda Okocha Omereji Orlu Ovunda Owhonda Wagbara Weli Wobo Wokoma Woke Worgu Worlu`,
  ),
  ogoni: group(
    'OGONI',
    1,
    `Barida Baribor Barinaadaa Barisi Barituka Bariyima Deebari Dumnamene Dumle Lebari Lezor Lekia Leyira Mene Menegbon Monday Ndorbu Nuka
     Nwibari Sorbari`,
    `Baridakara Barileere Barine Barinem Bariture Blessing Deeyaa Dumbari Leelee Lebura Leyina Nubari Nuate Nukabari Sira Tornubari
     Waayor Zorbari`,
    `Badom Barikor Deekor Deemua Deezua Dimkpa Donyaa Gbarabe Gbenebari Gboraa Giadom Ikpobari Kabari Kpagane Kpea Kpobari Kponi Lebura
     Loolo Menegbe Mkpe Naadube Nbete Neebari Ngbor Nwidee Nwigbo Nwikina Nwinee Penu Piagbara Tanee Vite Wifa Yorka Zabbey`,
  ),
  eggon: group(
    'EGGON',
    30,
    `Abimiku Allumaga Anzaku Ashefa Ayuba Dauda Ebini Elisha Envuladu Habila Ibrahim Ishaku Joshua Labaran Musa Samson Solomon Sule Umaru
     Yakubu`,
    `Asabe Asheazi Awayi Dorcas Elizabeth Esla Fatima Hajara Jummai Ladi Laraba Lydia Maikasuwa Monica Naomi Rahila Ruth Salomi Tani Zainab`,
    `Abimiku Agidi Akolo Alaku Allu Allumaga Ambi Angbazo Anzaku Ashigye Ashenanye Audu Bala Doma Ebije Ebuga Egga Embugushiki Envuluanza
     Galle Gyegwe Kigbu Kuzhe Maikeffi Malle Ogah Ombugadu Ombugu Orume Osabo Osuwa Umbugala Wambai Zubairu`,
  ),
};

/** Baptismal and English names, which Christians of every group use beside their own. */
export const CHRISTIAN = {
  male: words(`Anthony Augustine Benjamin Caleb Christopher Clement Daniel David Elijah Emmanuel Ezekiel Felix Francis Gabriel Godwin
    Isaac Jeremiah Jonathan Joseph Joshua Matthew Michael Moses Nathaniel Patrick Paul Peter Philip Raphael Samuel Simon Solomon Stephen
    Sunday Theophilus Thomas Timothy Victor Vincent Zachariah`),
  female: words(`Agatha Angela Anastasia Beatrice Blessing Catherine Cecilia Charity Comfort Deborah Dorcas Elizabeth Esther Eunice
    Faith Favour Florence Gift Gloria Goodness Grace Helen Hope Joy Juliana Mary Mercy Miracle Monica Patience Peace Precious Priscilla
    Rachael Rebecca Regina Rose Ruth Sarah Veronica Victoria`),
};

/** Muslim given names in southern and Middle Belt spellings; the northern groups have their own lists. */
export const MUSLIM = {
  male: words(`Abdulfatai Abdulganiyu Abdulhakeem Abdulkareem Abdullateef Abdulrasheed Abdulsalam Abdulwasiu Ahmed Akeem Aminu Azeez
    Basiru Fatai Ganiyu Habeeb Hamzat Ibraheem Idris Ismail Jamiu Kamoru Kazeem Lateef Lukman Mikail Monsuru Muftau Mukaila Musa
    Mustapha Nurudeen Qudus Rafiu Raheem Rasaq Rilwan Saheed Semiu Sikiru Sulaimon Taofeek Tajudeen Waheed Yunus`),
  female: words(`Aishat Alimat Amidat Aminat Asiat Azeezat Barakat Bashirat Fatimat Habibat Hafsat Halimat Idayat Kafayat Khadijat
    Kudirat Lateefat Mariam Medinat Memunat Monsurat Mujidat Mutiat Nafisat Nimota Rafiat Rahmat Ramotu Rashidat Risikat Rukayat Sadiat
    Salamat Sekinat Sherifat Shukurat Sidikat Simbiat Sofiat Taibat Wasilat Zainab Zulaikha`),
};
