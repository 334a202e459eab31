/** The invented people and companies of Smile ID's fixtures: the vendor's answer about each, and the record it must become. */

export const NIN = '71200450039';
export const ninFound = {
  Country: 'NG',
  IDType: 'NIN_V2',
  IDNumber: NIN,
  ExpirationDate: 'Not Available',
  FullName: 'Ebitimi Yusufu Ogbonna-Lawal',
  DOB: '1988-07-19',
  Photo: 'cG9ydHJhaXQ=',
  PhoneNumber: '08091200451',
  Gender: 'Female',
  Address: '7 Kuka Close, Gwarinpa',
  FullData: { firstname: 'Ebitimi', surname: 'Ogbonna-Lawal', middlename: 'Yusufu', success: true },
};
export const ninRecord = {
  nin: NIN,
  firstname: 'Ebitimi',
  surname: 'Ogbonna-Lawal',
  middlename: 'Yusufu',
  gender: 'FEMALE',
  birthdate: '1988-07-19',
  telephoneno: '08091200451',
};

export const BVN = '22710045008';
export const bvnFound = {
  Country: 'NG',
  IDType: 'BVN',
  IDNumber: BVN,
  IssuanceDate: 'Not Available',
  ExpirationDate: 'Not Available',
  FullName: 'Danladi Okon Adewumi',
  DOB: '1979-12-03',
  Photo: 'cGljdHVyZQ==',
  PhoneNumber: '08021200452',
  PhoneNumber2: 'Not Available',
  Gender: 'Male',
  Address: '15 Iroko Street, Uyo',
  FullData: {
    BVN,
    FirstName: 'Danladi',
    MiddleName: 'Okon',
    LastName: 'Adewumi',
    DateOfBirth: '03-December-1979',
    PhoneNumber1: '08021200452',
    Gender: 'Male',
    enrollmentBank: '044',
    enrollmentBranch: 'Uyo Main',
    email: 'd.adewumi@example.ng',
    lgaOfOrigin: 'Itu',
    lgaOfResidence: 'Uyo',
    maritalStatus: 'Married',
    nin: '71200450047',
    nameOnCard: 'ADEWUMI DANLADI O',
    nationality: 'Nigeria',
    residentialAddress: '15 Iroko Street, Uyo',
    stateOfOrigin: 'Akwa Ibom State',
    stateOfResidence: 'Akwa Ibom',
    title: 'Engr',
    watchListed: 'NO',
    LevelOfAccount: 'Level 2 - Medium Level Accounts',
    registrationDate: '14-Feb-2015',
    ImageBase64: 'cGljdHVyZQ==',
  },
};
export const bvnFull = {
  bvn: BVN,
  first_name: 'Danladi',
  last_name: 'Adewumi',
  middle_name: 'Okon',
  date_of_birth: '1979-12-03',
  phone_number1: '08021200452',
  gender: 'Male',
  enrollment_bank: '044',
  enrollment_branch: 'Uyo Main',
  level_of_account: 'Level 2 - Medium Level Accounts',
};
export const bvnAdvance = {
  ...bvnFull,
  phone_number2: '',
  title: 'Engr',
  email: 'd.adewumi@example.ng',
  marital_status: 'Married',
  nationality: 'Nigeria',
  nin: '71200450047',
  name_on_card: 'ADEWUMI DANLADI O',
  registration_date: '2015-02-14',
  residential_address: '15 Iroko Street, Uyo',
  state_of_origin: 'Akwa Ibom State',
  lga_of_origin: 'Itu',
  state_of_residence: 'Akwa Ibom',
  lga_of_residence: 'Uyo',
  watch_listed: 'NO',
  image: 'cGljdHVyZQ==',
};

export const RC = '2217045';
const companyInformation = {
  company_type: 'PRIVATE_COMPANY_LIMITED_BY_SHARES',
  country: 'Nigeria',
  address: '3 Dusa Road, Katsina',
  registration_number: RC,
  search_number: RC,
  authorized_shared_capital: '5000000',
  industry: 'N/A',
  tax_id: 'N/A',
  registration_date: '2014-03-08T23:00:00.000+00:00',
  phone: 'N/A',
  legal_name: 'KOFA GRAIN MILLS LIMITED',
  state: 'KATSINA',
  email: 'office@kofagrain.example',
  status: 'Not Active',
};
export const companyFound = { company_information: companyInformation, directors: [], beneficial_owners: [], success: true };
export const companyRecord = {
  rc_number: RC,
  company_name: 'KOFA GRAIN MILLS LIMITED',
  company_type: 'COMPANY',
  // Midnight in Nigeria.
  registration_date: '2014-03-09',
  head_office_address: '3 Dusa Road, Katsina',
  status: 'INACTIVE',
  email: 'office@kofagrain.example',
};

export const TIN = '20417733-0001';
export const taxFound = {
  company_information: { ...companyInformation, search_number: TIN, tax_id: TIN, phone: '08051200453' },
  success: true,
};
export const taxRecord = {
  search: TIN,
  tin: TIN,
  taxpayer_name: 'KOFA GRAIN MILLS LIMITED',
  cac_reg_number: RC,
  phone_number: '08051200453',
  email: 'office@kofagrain.example',
};
