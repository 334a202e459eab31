/**
 * Prembly's spelling of each record's members, and how their formats are normalized. `docs/vendors/prembly.md` names the sources. Registries leave members
 * empty, and older contracts spell some differently; the check behind all adapters (`records.ts`) knows which must not be empty.
 */
import { z } from 'zod';
import { bankGender, companyStatus, date, gender, image, imageUri, phone, text, texts } from './mapping.ts';

export const nin = texts({
  nin: 'nin',
  tracking_id: 'trackingId',
  firstname: 'firstname',
  surname: 'surname',
  middlename: 'middlename',
  gender: 'gender',
  birthdate: 'birthdate',
  telephoneno: 'telephoneno',
  photo: 'photo',
  signature: 'signature',
  residence_state: 'residence_state',
  residence_lga: 'residence_lga',
  residence_address_line_1: ['residence_AdressLine1', 'residence_address'],
  origin_state: 'self_origin_state',
  nok_firstname: 'nok_firstname',
  nok_lastname: 'nok_surname',
  title: 'title',
  religion: 'religion',
  profession: 'profession',
  email: 'email',
  marital_status: 'maritalstatus',
  employment_status: ['employmentstatus', 'emplymentstatus'],
  educational_level: 'educationallevel',
  height: ['heigth', 'height'],
  maiden_name: 'maidenname',
  birth_country: 'birthcountry',
  birth_state: 'birthstate',
  birth_lga: 'birthlga',
  origin_lga: 'self_origin_lga',
  origin_place: 'self_origin_place',
  residence_town: ['residence_Town', 'residence_town'],
  residence_status: 'residencestatus',
  nspoken_lang: ['nspokenlang', 'spoken_language'],
  ospoken_lang: 'ospokenlang',
  central_id: 'centralID',
  nok_middlename: 'nok_middlename',
  nok_address_line_1: 'nok_address1',
  nok_town: 'nok_town',
  nok_lga: 'nok_lga',
  nok_state: 'nok_state',
}).pipe(z.object({ birthdate: date, gender, photo: image, signature: imageUri }).catchall(z.string()));

export const bvn = texts({
  bvn: 'bvn',
  first_name: 'firstName',
  last_name: 'lastName',
  middle_name: 'middleName',
  date_of_birth: 'dateOfBirth',
  phone_number1: 'phoneNumber1',
  gender: 'gender',
  enrollment_bank: 'enrollmentBank',
  enrollment_branch: 'enrollmentBranch',
  level_of_account: 'levelOfAccount',
  phone_number2: 'phoneNumber2',
  title: 'title',
  email: 'email',
  marital_status: 'maritalStatus',
  nationality: 'nationality',
  nin: 'nin',
  name_on_card: 'nameOnCard',
  registration_date: 'registrationDate',
  residential_address: 'residentialAddress',
  state_of_origin: 'stateOfOrigin',
  lga_of_origin: 'lgaOfOrigin',
  state_of_residence: 'stateOfResidence',
  lga_of_residence: 'lgaOfResidence',
  watch_listed: 'watchListed',
  image: 'base64Image',
}).pipe(z.object({ date_of_birth: date, registration_date: date, gender: bankGender, image }).catchall(z.string()));

export const company = texts({
  rc_number: 'rc_number',
  company_name: 'company_name',
  registration_date: ['date_of_registration', 'registrationDate'],
  head_office_address: ['address', 'company_address'],
  status: 'company_status',
  email: 'email_address',
  branch_address: 'branchAddress',
}).pipe(z.object({ rc_number: text, registration_date: date, status: companyStatus }).catchall(z.string()));

export const taxpayer = texts({
  taxpayer_name: 'taxpayer_name',
  cac_reg_number: 'cac_reg_number',
  tin: 'firstin',
  firstin: 'firstin',
  jittin: 'jittin',
  tax_office: 'tax_office',
  phone_number: 'phone_number',
  email: 'email',
});

export const passport = texts({
  passport_number: 'number',
  first_name: 'first_name',
  last_name: 'last_name',
  middle_name: 'middle_name',
  date_of_birth: 'dob',
  gender: 'gender',
  issue_date: 'issued_date',
  expiry_date: 'expiry_date',
}).pipe(z.object({ date_of_birth: date, issue_date: date, expiry_date: date, gender }).catchall(z.string()));

export const voter = texts({
  vin_number: 'vin',
  full_name: 'fullName',
  polling_unit: 'pollingUnit',
  polling_unit_code: 'pollingUnitCode',
  ward: 'registrationAreaWard',
  lga: 'lga',
  state: 'state',
});

export const holder = texts({
  phone_number: 'phoneNumber',
  first_name: 'firstName',
  middle_name: 'middlename',
  last_name: 'surname',
  date_of_birth: 'dateOfBirth',
}).pipe(z.object({ phone_number: phone, date_of_birth: date }).catchall(z.string()));
