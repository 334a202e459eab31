/** Entities as the tables of the published specification ("Entity: …") list them, copied member by member, so that no test takes them from the code that it checks. */

export const NIN_ADVANCE = [
  'nin',
  'tracking_id',
  'firstname',
  'surname',
  'middlename',
  'gender',
  'birthdate',
  'telephoneno',
  'photo',
  'signature',
  'residence_state',
  'residence_lga',
  'residence_address_line_1',
  'nok_firstname',
  'nok_lastname',
];

export const BVN_FULL = [
  'bvn',
  'first_name',
  'last_name',
  'middle_name',
  'date_of_birth',
  'phone_number1',
  'gender',
  'enrollment_bank',
  'enrollment_branch',
  'level_of_account',
];

export const CAC_BASIC = [
  'rc_number',
  'company_name',
  'company_type',
  'registration_date',
  'head_office_address',
  'status',
  'email',
  'branch_address',
];
