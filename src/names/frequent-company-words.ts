/**
 * Words that listed organizations have in their names: 1 some, 2 many. Counted over the development half of the lists' organizations, so that the other half
 * measures this table too. Written by `bench/aml/company-words.ts`.
 */
export const FREQUENT_COMPANY_WORDS = `
aat1 abmezhavanay1 abu1 academician1 academy1 adkaznastsyu1 administration1 advanced1 aero1 aerospace1 affairs1 africa1 after2 agency1 agriculture1
air1 aircraft2 airline2 akademika1 aktsionernogo1 alabuga1 all1 alliance1 also2 ano1 ansar1 applied1 arab1 arctic1 armed1 army1 arsenal1 art1 arz1
asia1 aslamy1 association2 atlas1 auto1 automation1 autonomous1 aviatsionnyy1 avtomatiki1 ayran1 bank2 battalion1 beijing1 belarus1 beograd1 blue1
branch2 brigade1 budgetary1 building2 bureau2 burma1 business1 byudzhetnoe2 capital2 cargo1 cement1 center2 central2 cham1 charity1 chemical1
chemistry1 china1 chvk1 cia1 city1 civil1 club1 comercializadora1 commission1 committee1 communication2 complex2 computer1 concern1 congo1
construction2 consulting1 control1 cooperation1 corporativo1 corps1 council1 credit1 crimea1 cultural1 culture1 currency1 dandong1 darya1 decisions1
defence1 defense2 department1 design2 development2 devices1 diamond1 digital1 directorate1 dis1 distribuidora1 division1 dobycha1 drustvo1 dvizhenie1
east2 eastern1 economic1 education1 educational1 electric1 electricity1 electro1 electromechanical1 electronic2 elevator1 energy2 engine1 engineering2
enterprise2 equipment1 establishment1 estate1 europe1 exchange2 experimental1 exploration1 export2 farm1 federal2 federalnyy1 federation2 federatsii1
finance1 financial1 first1 fiziki1 food1 force2 foreign1 foundation2 freight1 fsue1 fuel1 fund1 gas1 gazprom2 general2 ghadir1 global2 gold1 golden1
good1 gostar1 gosudarstvennyy1 gpb1 green1 group2 grupp1 guard1 guards1 gulf1 high1 higher1 holding2 holdings2 hong1 hotel1 house1 imam1 import2
industry2 infantry1 information1 infrastructure1 inmobiliaria1 innovation1 institute2 instrument1 insurance1 intelligence1 internal1 international2
investment2 inzhiniring1 iran2 irans1 iraq1 irgc1 irkut1 isis1 islamic2 issledovatelski1 jihad1 joint1 kapital1 kazan1 kazennoe1 kholding1 kish1
known2 kombinat1 kommercheski1 kompleks1 kong1 konsalting1 konstruktorskoe2 korea2 korporatsiya1 krym1 land1 law1 leasing1 liberation1 lil1 line1
lines1 lizing1 logistic2 machine2 making1 management2 managing1 marine2 mashinostroeniya1 mashinostroitelnyy1 material1 mechanical1 media1 medical1
mekhanicheskiy1 menedzhment1 metal1 middle1 military2 mineral2 ministerstva1 ministry2 minsk1 missile1 money1 morskoy1 moscow1 moskovskiy1 motor1
movement1 mujahideen1 myanmar1 named2 national2 natsionalnyy1 nauchnoissledovatelskiy1 nauk1 navigation1 nekommercheskaya1 network1 new2 nii1 non1
north1 northern1 novatek1 novin1 novosibirsk1 novosibirskiy1 npo2 npp1 ntts1 nuclear1 obedinennaya1 oborony1 obrazovaniya1 obrazovatelnoe1
obyedineniye1 ocean1 odgovornoscu1 odk1 off1 office2 offshore1 ogranicenom1 oil2 okb1 operadora1 optical1 order1 organization2 otkrytogo1 overseas1
owned1 palestine1 park1 pars1 partners1 parts1 party1 people1 petersburg1 petro1 petrochemical2 petroleum1 pharmaceutical1 physics1 pjs1 plant2 pmc1
police1 port1 power1 precision1 priborov1 prison1 private1 procurement1 product1 production2 proektno1 progress1 proizvodstvennoye1 proizvodstvennyy1
project1 property1 protection1 province1 public1 quds1 radio1 ran1 ras1 razvitiya1 real1 red1 refinery1 region1 regional1 relief1 remontnyy1 repair2
republic2 republican1 resource1 respubliki1 revolution1 revolutionary1 rossii1 rossiyskiy1 rossiyskoy2 russia2 saint1 sal2 san1 sazman1 sberbank1
scientific2 sea1 security2 semiconductor1 service2 shahid1 shanghai1 shargh1 shenzhen1 ship2 shipmanagement1 shipping2 shipyard2 shore1 shrkt1
siberian1 sina1 sistem1 skb1 sky1 smart1 social1 society1 solution1 south1 space1 special2 specialized1 spr1 sredstv1 srz1 ssk1 star1 state2 stc1
steel2 sudostroitelnyy1 sun1 supply1 support1 svyazi1 syria2 system2 taa1 tactical1 tadbir1 technical2 technology2 tekhnicheskiy1 tekhniki1
tekhnologiy1 television1 tipa1 tourism1 trade2 trafficking1 transgaz1 transneft1 transport2 travel1 trust1 tsargrad1 tsentralnyy1 uchrezhdenie2 uec1
union2 unit1 unitarnoe2 united2 university1 unmanned1 upravlenie1 upravleniya1 upravlyayushchaya1 ural1 veb1 venture1 vserossiyskiy1 vtb1 welfare1
west1 western1 world1 xianggang1 youth1 youxiangongsi1
`;
