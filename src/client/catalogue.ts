/** The checks: what each takes and finds, and where it is called. Written by `npm run clients:catalogue` from src/checks/; edit it there. */

/** Full name, gender, phone number, date of birth of a NIN. */
export interface NinBasic {
  input: {
    /** National identity number, 11 digits, as a string */
    nin: string;
  };
  entity: {
    /** 11-digit NIN */
    nin: string;
    firstname: string;
    surname: string;
    middlename: string;
    /** MALE or FEMALE */
    gender: string;
    /** YYYY-MM-DD */
    birthdate: string;
    telephoneno: string;
  };
}

/** Basic data plus address, state of origin, next of kin, portrait. */
export interface NinAdvance {
  input: {
    /** National identity number, 11 digits, as a string */
    nin: string;
  };
  entity: {
    nin: string;
    /** Tracking identifier of the record */
    tracking_id: string;
    firstname: string;
    surname: string;
    middlename: string;
    gender: string;
    birthdate: string;
    telephoneno: string;
    /** Portrait, base64 */
    photo: string;
    /** Signature image as a base64 data URI (image/png) */
    signature: string;
    residence_state: string;
    residence_lga: string;
    residence_address_line_1: string;
    /** State of origin */
    origin_state: string;
    /** Next of kin */
    nok_firstname: string;
    nok_lastname: string;
  };
}

/** Advance data plus religion, profession and the rest of the record. */
export interface NinPremium {
  input: {
    /** National identity number, 11 digits, as a string */
    nin: string;
  };
  entity: {
    nin: string;
    /** Tracking identifier of the record */
    tracking_id: string;
    firstname: string;
    surname: string;
    middlename: string;
    gender: string;
    birthdate: string;
    telephoneno: string;
    /** Portrait, base64 */
    photo: string;
    /** Signature image as a base64 data URI (image/png) */
    signature: string;
    residence_state: string;
    residence_lga: string;
    residence_address_line_1: string;
    /** State of origin */
    origin_state: string;
    /** Next of kin */
    nok_firstname: string;
    nok_lastname: string;
    title: string;
    religion: string;
    profession: string;
    email: string;
    marital_status: string;
    employment_status: string;
    educational_level: string;
    height: string;
    maiden_name: string;
    birth_country: string;
    birth_state: string;
    birth_lga: string;
    origin_lga: string;
    origin_place: string;
    residence_town: string;
    residence_status: string;
    residence_address_line_2: string;
    nspoken_lang: string;
    ospoken_lang: string;
    central_id: string;
    nok_middlename: string;
    nok_address_line_1: string;
    nok_town: string;
    nok_lga: string;
    nok_state: string;
  };
}

/** The data printed on an identity slip, with the tracking id. */
export interface NinSlip {
  input: {
    /** National identity number, 11 digits, as a string */
    nin: string;
  };
  entity: {
    nin: string;
    tracking_id: string;
    surname: string;
    firstname: string;
    middlename: string;
    gender: string;
    birthdate: string;
    telephoneno: string;
    residence_address_line_1: string;
    residence_lga: string;
    residence_state: string;
    /** Portrait, base64 */
    photo: string;
  };
}

/** Do the supplied names, date of birth and phone number match the BVN record?. */
export interface BvnMatch {
  input: {
    /** Bank verification number, 11 digits, as a string */
    bvn: string;
    first_name?: string;
    middle_name?: string;
    last_name?: string;
    /** YYYY-MM-DD */
    dob?: string;
    /** Nigerian mobile number: 080…, 23480… or +23480… */
    phone_number?: string;
  };
  entity: {
    bvn: {
      value: string;
      status: boolean;
    };
    first_name?: {
      /** As supplied */
      value: string;
      status: boolean;
      /** 0 to 100; a match has at least 80; 100 means the same letters */
      confidence_value: number;
    };
    middle_name?: {
      /** As supplied */
      value: string;
      status: boolean;
      /** 0 to 100; a match has at least 80; 100 means the same letters */
      confidence_value: number;
    };
    last_name?: {
      /** As supplied */
      value: string;
      status: boolean;
      /** 0 to 100; a match has at least 80; 100 means the same letters */
      confidence_value: number;
    };
    date_of_birth?: {
      value: string;
      status: boolean;
    };
    phone_number?: {
      value: string;
      status: boolean;
    };
  };
}

/** Names, phone number, gender, date of birth, enrolment. */
export interface BvnFull {
  input: {
    /** Bank verification number, 11 digits, as a string */
    bvn: string;
  };
  entity: {
    /** 11-digit BVN */
    bvn: string;
    first_name: string;
    last_name: string;
    middle_name: string;
    /** YYYY-MM-DD */
    date_of_birth: string;
    phone_number1: string;
    /** Male or Female */
    gender: string;
    /** Bank code */
    enrollment_bank: string;
    enrollment_branch: string;
    level_of_account: string;
  };
}

/** Full data plus address, origin, linked NIN, watch list and portrait. */
export interface BvnAdvance {
  input: {
    /** Bank verification number, 11 digits, as a string */
    bvn: string;
  };
  entity: {
    /** 11-digit BVN */
    bvn: string;
    first_name: string;
    last_name: string;
    middle_name: string;
    /** YYYY-MM-DD */
    date_of_birth: string;
    phone_number1: string;
    /** Male or Female */
    gender: string;
    /** Bank code */
    enrollment_bank: string;
    enrollment_branch: string;
    level_of_account: string;
    phone_number2: string;
    title: string;
    email: string;
    marital_status: string;
    nationality: string;
    nin: string;
    name_on_card: string;
    /** YYYY-MM-DD */
    registration_date: string;
    residential_address: string;
    state_of_origin: string;
    lga_of_origin: string;
    state_of_residence: string;
    lga_of_residence: string;
    /** YES or NO */
    watch_listed: string;
    /** Portrait, base64 */
    image: string;
  };
}

/** Name, registration date, head office and status of a company, business name or incorporated trustees. */
export interface CacBasic {
  input: {
    /** Registration or business number: 1 to 8 digits, optionally after RC, BN, IT, LP or LLP. Spaces, dashes and case are ignored */
    rc_number: string;
    /** COMPANY, BUSINESS_NAME, INCORPORATED_TRUSTEES, in any case. Without it, the prefix of rc_number decides; without a prefix it is COMPANY */
    company_type?: string;
  };
  entity: {
    /** Registration or business number, without prefix */
    rc_number: string;
    /** Registered name */
    company_name: string;
    /** COMPANY, BUSINESS_NAME, INCORPORATED_TRUSTEES, LIMITED_PARTNERSHIP, LIMITED_LIABILITY_PARTNERSHIP */
    company_type: string;
    /** YYYY-MM-DD */
    registration_date: string;
    head_office_address: string;
    /** ACTIVE, or INACTIVE if annual returns are due; an INACTIVE company still exists */
    status: string;
    email: string;
    branch_address: string;
  };
}

/** Basic data plus share capital, directors, shareholders, beneficial owners, secretary, proprietors and trustees. */
export interface CacAdvance {
  input: {
    /** Registration or business number: 1 to 8 digits, optionally after RC, BN, IT, LP or LLP. Spaces, dashes and case are ignored */
    rc_number: string;
    /** COMPANY, BUSINESS_NAME, INCORPORATED_TRUSTEES, in any case. Without it, the prefix of rc_number decides; without a prefix it is COMPANY */
    company_type?: string;
    /** true: the company, its directors and its owners are screened too. A call or a job is then answered as `cac_screening`, at its price; in a batch name that check */
    screen?: boolean | string;
  };
  entity: {
    /** Registration or business number, without prefix */
    rc_number: string;
    /** Registered name */
    company_name: string;
    /** COMPANY, BUSINESS_NAME, INCORPORATED_TRUSTEES, LIMITED_PARTNERSHIP, LIMITED_LIABILITY_PARTNERSHIP */
    company_type: string;
    /** YYYY-MM-DD */
    registration_date: string;
    head_office_address: string;
    /** ACTIVE, or INACTIVE if annual returns are due; an INACTIVE company still exists */
    status: string;
    email: string;
    branch_address: string;
    /** Allotted capital in NGX; null if there are no shares */
    share_capital: number | null;
    share_capital_in_words: string;
    /** Different people in the lists below */
    number_of_affiliates: number;
    /** Directors of a company */
    directors: {
      surname: string;
      firstname: string;
      othername: string;
      /** MALE or FEMALE */
      gender: string;
      /** YYYY-MM-DD */
      date_of_birth: string;
      nationality: string;
      occupation: string;
      phone_number: string;
      email: string;
      address: string;
      /** NIN, or empty */
      id_type: string;
      /** Number of that document */
      id_number: string;
      /** YYYY-MM-DD */
      date_of_appointment: string;
    }[];
    /** Shareholders of a company */
    shareholders: {
      surname: string;
      firstname: string;
      othername: string;
      /** MALE or FEMALE */
      gender: string;
      /** YYYY-MM-DD */
      date_of_birth: string;
      nationality: string;
      occupation: string;
      phone_number: string;
      email: string;
      address: string;
      /** NIN, or empty */
      id_type: string;
      /** Number of that document */
      id_number: string;
      /** ORDINARY or PREFERENCE */
      share_type: string;
      /** Count */
      shares_allotted: number;
      /** Percentage of all allotted shares, 0 to 100 */
      share_percent: number;
    }[];
    /** Persons with significant control: 5 % of a company or more */
    beneficial_owners: {
      surname: string;
      firstname: string;
      othername: string;
      /** MALE or FEMALE */
      gender: string;
      /** YYYY-MM-DD */
      date_of_birth: string;
      nationality: string;
      occupation: string;
      phone_number: string;
      email: string;
      address: string;
      /** NIN, or empty */
      id_type: string;
      /** Number of that document */
      id_number: string;
      /** Percentage of all allotted shares, 0 to 100 */
      share_percent: number;
      is_director: boolean;
    }[];
    /** null if there is none */
    secretary: {
      surname: string;
      firstname: string;
      othername: string;
      /** MALE or FEMALE */
      gender: string;
      /** YYYY-MM-DD */
      date_of_birth: string;
      nationality: string;
      occupation: string;
      phone_number: string;
      email: string;
      address: string;
      /** NIN, or empty */
      id_type: string;
      /** Number of that document */
      id_number: string;
      /** YYYY-MM-DD */
      date_of_appointment: string;
    } | null;
    /** Proprietors of a business name; partners of a partnership */
    proprietors: {
      surname: string;
      firstname: string;
      othername: string;
      /** MALE or FEMALE */
      gender: string;
      /** YYYY-MM-DD */
      date_of_birth: string;
      nationality: string;
      occupation: string;
      phone_number: string;
      email: string;
      address: string;
      /** NIN, or empty */
      id_type: string;
      /** Number of that document */
      id_number: string;
      /** YYYY-MM-DD */
      date_of_appointment: string;
    }[];
    /** Trustees of incorporated trustees */
    trustees: {
      surname: string;
      firstname: string;
      othername: string;
      /** MALE or FEMALE */
      gender: string;
      /** YYYY-MM-DD */
      date_of_birth: string;
      nationality: string;
      occupation: string;
      phone_number: string;
      email: string;
      address: string;
      /** NIN, or empty */
      id_type: string;
      /** Number of that document */
      id_number: string;
      /** YYYY-MM-DD */
      date_of_appointment: string;
    }[];
  };
}

/** Advance data, with the company, its directors, owners, secretary, proprietors and trustees screened against the watch lists. */
export interface CacScreening {
  input: {
    /** Registration or business number: 1 to 8 digits, optionally after RC, BN, IT, LP or LLP. Spaces, dashes and case are ignored */
    rc_number: string;
    /** COMPANY, BUSINESS_NAME, INCORPORATED_TRUSTEES, in any case. Without it, the prefix of rc_number decides; without a prefix it is COMPANY */
    company_type?: string;
  };
  entity: {
    /** Registration or business number, without prefix */
    rc_number: string;
    /** Registered name */
    company_name: string;
    /** COMPANY, BUSINESS_NAME, INCORPORATED_TRUSTEES, LIMITED_PARTNERSHIP, LIMITED_LIABILITY_PARTNERSHIP */
    company_type: string;
    /** YYYY-MM-DD */
    registration_date: string;
    head_office_address: string;
    /** ACTIVE, or INACTIVE if annual returns are due; an INACTIVE company still exists */
    status: string;
    email: string;
    branch_address: string;
    /** Allotted capital in NGX; null if there are no shares */
    share_capital: number | null;
    share_capital_in_words: string;
    /** Different people in the lists below */
    number_of_affiliates: number;
    /** Directors of a company */
    directors: ({
      surname: string;
      firstname: string;
      othername: string;
      /** MALE or FEMALE */
      gender: string;
      /** YYYY-MM-DD */
      date_of_birth: string;
      nationality: string;
      occupation: string;
      phone_number: string;
      email: string;
      address: string;
      /** NIN, or empty */
      id_type: string;
      /** Number of that document */
      id_number: string;
      /** YYYY-MM-DD */
      date_of_appointment: string;
      /** null: the record has no name that can be compared */
      screening: {
        risk_level: 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
        /** A hit of category pep that nobody has cleared */
        pep_detected: boolean;
        /** A hit of category sanction that nobody has cleared */
        sanctions_match: boolean;
        /** Over all lists, cleared ones too */
        total_hits: number;
        /** ISO 8601, UTC, with milliseconds */
        screened_at: string;
        /** 0 to 100 */
        risk_score: number;
        /** Best first, at most 100 */
        hits: ({
          list: string;
          list_version: string;
          /** The publisher's id of the entry */
          source_id: string;
          type: 'person' | 'organization';
          category: 'sanction' | 'pep' | 'wanted' | 'adverse_media';
          /** The primary name of the entry */
          name: string;
          /** The listed name that matched */
          matched_alias: string;
          /** 0 to 1 */
          score: number;
          explanation: {
            tokens: ({
              /** null: no word that was sent corresponds to the listed word */
              query: string | null;
              /** null: no listed word corresponds to the word that was sent */
              listed: string | null;
              how: 'exact' | 'folded' | 'nickname' | 'edit' | 'script' | 'initial' | 'joined' | 'unmatched';
              similarity: number;
            })[];
            /** Rules that changed the score (docs/aml.md) */
            rules: string[];
            name_score: number;
            dob: {
              verdict: 'exact' | 'within_range' | 'same_year' | 'near_year' | 'day_month_swapped' | 'different_day' | 'different_year' | 'unknown';
              /** What the list says */
              listed: string[];
              /** Added to the score of the name */
              effect: number;
            };
            country: {
              verdict: 'same' | 'different' | 'unknown';
              /** What the list says */
              listed: string[];
              /** Added to the score of the name */
              effect: number;
            };
            gender: {
              verdict: 'same' | 'different' | 'unknown';
              /** What the list says */
              listed: string[];
              /** Added to the score of the name */
              effect: number;
            };
          };
          /** Sanctions programmes, offices, charges or headlines */
          programs: string[];
          listed_on: string | null;
          /** When the last office of a politically exposed person ended, or will end */
          ended_on: string | null;
          url: string | null;
          /** The hit was found to be somebody else, and does not count */
          cleared: {
            clearance: string;
            cleared_by: string;
            /** The key that recorded what `cleared_by` decided; null: that person did */
            recorded_by?: string | null;
            reason: string;
            at: string;
            expires_at: string | null;
          } | null;
        })[];
      } | null;
    })[];
    /** Shareholders of a company */
    shareholders: ({
      surname: string;
      firstname: string;
      othername: string;
      /** MALE or FEMALE */
      gender: string;
      /** YYYY-MM-DD */
      date_of_birth: string;
      nationality: string;
      occupation: string;
      phone_number: string;
      email: string;
      address: string;
      /** NIN, or empty */
      id_type: string;
      /** Number of that document */
      id_number: string;
      /** ORDINARY or PREFERENCE */
      share_type: string;
      /** Count */
      shares_allotted: number;
      /** Percentage of all allotted shares, 0 to 100 */
      share_percent: number;
      /** null: the record has no name that can be compared */
      screening: {
        risk_level: 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
        /** A hit of category pep that nobody has cleared */
        pep_detected: boolean;
        /** A hit of category sanction that nobody has cleared */
        sanctions_match: boolean;
        /** Over all lists, cleared ones too */
        total_hits: number;
        /** ISO 8601, UTC, with milliseconds */
        screened_at: string;
        /** 0 to 100 */
        risk_score: number;
        /** Best first, at most 100 */
        hits: ({
          list: string;
          list_version: string;
          /** The publisher's id of the entry */
          source_id: string;
          type: 'person' | 'organization';
          category: 'sanction' | 'pep' | 'wanted' | 'adverse_media';
          /** The primary name of the entry */
          name: string;
          /** The listed name that matched */
          matched_alias: string;
          /** 0 to 1 */
          score: number;
          explanation: {
            tokens: ({
              /** null: no word that was sent corresponds to the listed word */
              query: string | null;
              /** null: no listed word corresponds to the word that was sent */
              listed: string | null;
              how: 'exact' | 'folded' | 'nickname' | 'edit' | 'script' | 'initial' | 'joined' | 'unmatched';
              similarity: number;
            })[];
            /** Rules that changed the score (docs/aml.md) */
            rules: string[];
            name_score: number;
            dob: {
              verdict: 'exact' | 'within_range' | 'same_year' | 'near_year' | 'day_month_swapped' | 'different_day' | 'different_year' | 'unknown';
              /** What the list says */
              listed: string[];
              /** Added to the score of the name */
              effect: number;
            };
            country: {
              verdict: 'same' | 'different' | 'unknown';
              /** What the list says */
              listed: string[];
              /** Added to the score of the name */
              effect: number;
            };
            gender: {
              verdict: 'same' | 'different' | 'unknown';
              /** What the list says */
              listed: string[];
              /** Added to the score of the name */
              effect: number;
            };
          };
          /** Sanctions programmes, offices, charges or headlines */
          programs: string[];
          listed_on: string | null;
          /** When the last office of a politically exposed person ended, or will end */
          ended_on: string | null;
          url: string | null;
          /** The hit was found to be somebody else, and does not count */
          cleared: {
            clearance: string;
            cleared_by: string;
            /** The key that recorded what `cleared_by` decided; null: that person did */
            recorded_by?: string | null;
            reason: string;
            at: string;
            expires_at: string | null;
          } | null;
        })[];
      } | null;
    })[];
    /** Persons with significant control: 5 % of a company or more */
    beneficial_owners: ({
      surname: string;
      firstname: string;
      othername: string;
      /** MALE or FEMALE */
      gender: string;
      /** YYYY-MM-DD */
      date_of_birth: string;
      nationality: string;
      occupation: string;
      phone_number: string;
      email: string;
      address: string;
      /** NIN, or empty */
      id_type: string;
      /** Number of that document */
      id_number: string;
      /** Percentage of all allotted shares, 0 to 100 */
      share_percent: number;
      is_director: boolean;
      /** null: the record has no name that can be compared */
      screening: {
        risk_level: 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
        /** A hit of category pep that nobody has cleared */
        pep_detected: boolean;
        /** A hit of category sanction that nobody has cleared */
        sanctions_match: boolean;
        /** Over all lists, cleared ones too */
        total_hits: number;
        /** ISO 8601, UTC, with milliseconds */
        screened_at: string;
        /** 0 to 100 */
        risk_score: number;
        /** Best first, at most 100 */
        hits: ({
          list: string;
          list_version: string;
          /** The publisher's id of the entry */
          source_id: string;
          type: 'person' | 'organization';
          category: 'sanction' | 'pep' | 'wanted' | 'adverse_media';
          /** The primary name of the entry */
          name: string;
          /** The listed name that matched */
          matched_alias: string;
          /** 0 to 1 */
          score: number;
          explanation: {
            tokens: ({
              /** null: no word that was sent corresponds to the listed word */
              query: string | null;
              /** null: no listed word corresponds to the word that was sent */
              listed: string | null;
              how: 'exact' | 'folded' | 'nickname' | 'edit' | 'script' | 'initial' | 'joined' | 'unmatched';
              similarity: number;
            })[];
            /** Rules that changed the score (docs/aml.md) */
            rules: string[];
            name_score: number;
            dob: {
              verdict: 'exact' | 'within_range' | 'same_year' | 'near_year' | 'day_month_swapped' | 'different_day' | 'different_year' | 'unknown';
              /** What the list says */
              listed: string[];
              /** Added to the score of the name */
              effect: number;
            };
            country: {
              verdict: 'same' | 'different' | 'unknown';
              /** What the list says */
              listed: string[];
              /** Added to the score of the name */
              effect: number;
            };
            gender: {
              verdict: 'same' | 'different' | 'unknown';
              /** What the list says */
              listed: string[];
              /** Added to the score of the name */
              effect: number;
            };
          };
          /** Sanctions programmes, offices, charges or headlines */
          programs: string[];
          listed_on: string | null;
          /** When the last office of a politically exposed person ended, or will end */
          ended_on: string | null;
          url: string | null;
          /** The hit was found to be somebody else, and does not count */
          cleared: {
            clearance: string;
            cleared_by: string;
            /** The key that recorded what `cleared_by` decided; null: that person did */
            recorded_by?: string | null;
            reason: string;
            at: string;
            expires_at: string | null;
          } | null;
        })[];
      } | null;
    })[];
    /** null if there is none */
    secretary: {
      surname: string;
      firstname: string;
      othername: string;
      /** MALE or FEMALE */
      gender: string;
      /** YYYY-MM-DD */
      date_of_birth: string;
      nationality: string;
      occupation: string;
      phone_number: string;
      email: string;
      address: string;
      /** NIN, or empty */
      id_type: string;
      /** Number of that document */
      id_number: string;
      /** YYYY-MM-DD */
      date_of_appointment: string;
      /** null: the record has no name that can be compared */
      screening: {
        risk_level: 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
        /** A hit of category pep that nobody has cleared */
        pep_detected: boolean;
        /** A hit of category sanction that nobody has cleared */
        sanctions_match: boolean;
        /** Over all lists, cleared ones too */
        total_hits: number;
        /** ISO 8601, UTC, with milliseconds */
        screened_at: string;
        /** 0 to 100 */
        risk_score: number;
        /** Best first, at most 100 */
        hits: ({
          list: string;
          list_version: string;
          /** The publisher's id of the entry */
          source_id: string;
          type: 'person' | 'organization';
          category: 'sanction' | 'pep' | 'wanted' | 'adverse_media';
          /** The primary name of the entry */
          name: string;
          /** The listed name that matched */
          matched_alias: string;
          /** 0 to 1 */
          score: number;
          explanation: {
            tokens: ({
              /** null: no word that was sent corresponds to the listed word */
              query: string | null;
              /** null: no listed word corresponds to the word that was sent */
              listed: string | null;
              how: 'exact' | 'folded' | 'nickname' | 'edit' | 'script' | 'initial' | 'joined' | 'unmatched';
              similarity: number;
            })[];
            /** Rules that changed the score (docs/aml.md) */
            rules: string[];
            name_score: number;
            dob: {
              verdict: 'exact' | 'within_range' | 'same_year' | 'near_year' | 'day_month_swapped' | 'different_day' | 'different_year' | 'unknown';
              /** What the list says */
              listed: string[];
              /** Added to the score of the name */
              effect: number;
            };
            country: {
              verdict: 'same' | 'different' | 'unknown';
              /** What the list says */
              listed: string[];
              /** Added to the score of the name */
              effect: number;
            };
            gender: {
              verdict: 'same' | 'different' | 'unknown';
              /** What the list says */
              listed: string[];
              /** Added to the score of the name */
              effect: number;
            };
          };
          /** Sanctions programmes, offices, charges or headlines */
          programs: string[];
          listed_on: string | null;
          /** When the last office of a politically exposed person ended, or will end */
          ended_on: string | null;
          url: string | null;
          /** The hit was found to be somebody else, and does not count */
          cleared: {
            clearance: string;
            cleared_by: string;
            /** The key that recorded what `cleared_by` decided; null: that person did */
            recorded_by?: string | null;
            reason: string;
            at: string;
            expires_at: string | null;
          } | null;
        })[];
      } | null;
    } | null;
    /** Proprietors of a business name; partners of a partnership */
    proprietors: ({
      surname: string;
      firstname: string;
      othername: string;
      /** MALE or FEMALE */
      gender: string;
      /** YYYY-MM-DD */
      date_of_birth: string;
      nationality: string;
      occupation: string;
      phone_number: string;
      email: string;
      address: string;
      /** NIN, or empty */
      id_type: string;
      /** Number of that document */
      id_number: string;
      /** YYYY-MM-DD */
      date_of_appointment: string;
      /** null: the record has no name that can be compared */
      screening: {
        risk_level: 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
        /** A hit of category pep that nobody has cleared */
        pep_detected: boolean;
        /** A hit of category sanction that nobody has cleared */
        sanctions_match: boolean;
        /** Over all lists, cleared ones too */
        total_hits: number;
        /** ISO 8601, UTC, with milliseconds */
        screened_at: string;
        /** 0 to 100 */
        risk_score: number;
        /** Best first, at most 100 */
        hits: ({
          list: string;
          list_version: string;
          /** The publisher's id of the entry */
          source_id: string;
          type: 'person' | 'organization';
          category: 'sanction' | 'pep' | 'wanted' | 'adverse_media';
          /** The primary name of the entry */
          name: string;
          /** The listed name that matched */
          matched_alias: string;
          /** 0 to 1 */
          score: number;
          explanation: {
            tokens: ({
              /** null: no word that was sent corresponds to the listed word */
              query: string | null;
              /** null: no listed word corresponds to the word that was sent */
              listed: string | null;
              how: 'exact' | 'folded' | 'nickname' | 'edit' | 'script' | 'initial' | 'joined' | 'unmatched';
              similarity: number;
            })[];
            /** Rules that changed the score (docs/aml.md) */
            rules: string[];
            name_score: number;
            dob: {
              verdict: 'exact' | 'within_range' | 'same_year' | 'near_year' | 'day_month_swapped' | 'different_day' | 'different_year' | 'unknown';
              /** What the list says */
              listed: string[];
              /** Added to the score of the name */
              effect: number;
            };
            country: {
              verdict: 'same' | 'different' | 'unknown';
              /** What the list says */
              listed: string[];
              /** Added to the score of the name */
              effect: number;
            };
            gender: {
              verdict: 'same' | 'different' | 'unknown';
              /** What the list says */
              listed: string[];
              /** Added to the score of the name */
              effect: number;
            };
          };
          /** Sanctions programmes, offices, charges or headlines */
          programs: string[];
          listed_on: string | null;
          /** When the last office of a politically exposed person ended, or will end */
          ended_on: string | null;
          url: string | null;
          /** The hit was found to be somebody else, and does not count */
          cleared: {
            clearance: string;
            cleared_by: string;
            /** The key that recorded what `cleared_by` decided; null: that person did */
            recorded_by?: string | null;
            reason: string;
            at: string;
            expires_at: string | null;
          } | null;
        })[];
      } | null;
    })[];
    /** Trustees of incorporated trustees */
    trustees: ({
      surname: string;
      firstname: string;
      othername: string;
      /** MALE or FEMALE */
      gender: string;
      /** YYYY-MM-DD */
      date_of_birth: string;
      nationality: string;
      occupation: string;
      phone_number: string;
      email: string;
      address: string;
      /** NIN, or empty */
      id_type: string;
      /** Number of that document */
      id_number: string;
      /** YYYY-MM-DD */
      date_of_appointment: string;
      /** null: the record has no name that can be compared */
      screening: {
        risk_level: 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
        /** A hit of category pep that nobody has cleared */
        pep_detected: boolean;
        /** A hit of category sanction that nobody has cleared */
        sanctions_match: boolean;
        /** Over all lists, cleared ones too */
        total_hits: number;
        /** ISO 8601, UTC, with milliseconds */
        screened_at: string;
        /** 0 to 100 */
        risk_score: number;
        /** Best first, at most 100 */
        hits: ({
          list: string;
          list_version: string;
          /** The publisher's id of the entry */
          source_id: string;
          type: 'person' | 'organization';
          category: 'sanction' | 'pep' | 'wanted' | 'adverse_media';
          /** The primary name of the entry */
          name: string;
          /** The listed name that matched */
          matched_alias: string;
          /** 0 to 1 */
          score: number;
          explanation: {
            tokens: ({
              /** null: no word that was sent corresponds to the listed word */
              query: string | null;
              /** null: no listed word corresponds to the word that was sent */
              listed: string | null;
              how: 'exact' | 'folded' | 'nickname' | 'edit' | 'script' | 'initial' | 'joined' | 'unmatched';
              similarity: number;
            })[];
            /** Rules that changed the score (docs/aml.md) */
            rules: string[];
            name_score: number;
            dob: {
              verdict: 'exact' | 'within_range' | 'same_year' | 'near_year' | 'day_month_swapped' | 'different_day' | 'different_year' | 'unknown';
              /** What the list says */
              listed: string[];
              /** Added to the score of the name */
              effect: number;
            };
            country: {
              verdict: 'same' | 'different' | 'unknown';
              /** What the list says */
              listed: string[];
              /** Added to the score of the name */
              effect: number;
            };
            gender: {
              verdict: 'same' | 'different' | 'unknown';
              /** What the list says */
              listed: string[];
              /** Added to the score of the name */
              effect: number;
            };
          };
          /** Sanctions programmes, offices, charges or headlines */
          programs: string[];
          listed_on: string | null;
          /** When the last office of a politically exposed person ended, or will end */
          ended_on: string | null;
          url: string | null;
          /** The hit was found to be somebody else, and does not count */
          cleared: {
            clearance: string;
            cleared_by: string;
            /** The key that recorded what `cleared_by` decided; null: that person did */
            recorded_by?: string | null;
            reason: string;
            at: string;
            expires_at: string | null;
          } | null;
        })[];
      } | null;
    })[];
    /** Of the company and everybody on record with it */
    overall_risk: {
      /** The highest of all */
      risk_level: 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
      /** The highest of all, 0 to 100 */
      risk_score: number;
      pep_detected: boolean;
      sanctions_match: boolean;
      /** Hits of the company and of each different party */
      total_hits: number;
      /** The company and each different party, however many roles a party has */
      screened: number;
      /** Parties whose record has no name that can be compared, or beyond the first 100 */
      not_screened: number;
    };
    /** The company itself */
    screening: {
      risk_level: 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
      /** A hit of category pep that nobody has cleared */
      pep_detected: boolean;
      /** A hit of category sanction that nobody has cleared */
      sanctions_match: boolean;
      /** Over all lists, cleared ones too */
      total_hits: number;
      /** ISO 8601, UTC, with milliseconds */
      screened_at: string;
      /** 0 to 100 */
      risk_score: number;
      /** Best first, at most 100 */
      hits: ({
        list: string;
        list_version: string;
        /** The publisher's id of the entry */
        source_id: string;
        type: 'person' | 'organization';
        category: 'sanction' | 'pep' | 'wanted' | 'adverse_media';
        /** The primary name of the entry */
        name: string;
        /** The listed name that matched */
        matched_alias: string;
        /** 0 to 1 */
        score: number;
        explanation: {
          tokens: ({
            /** null: no word that was sent corresponds to the listed word */
            query: string | null;
            /** null: no listed word corresponds to the word that was sent */
            listed: string | null;
            how: 'exact' | 'folded' | 'nickname' | 'edit' | 'script' | 'initial' | 'joined' | 'unmatched';
            similarity: number;
          })[];
          /** Rules that changed the score (docs/aml.md) */
          rules: string[];
          name_score: number;
          dob: {
            verdict: 'exact' | 'within_range' | 'same_year' | 'near_year' | 'day_month_swapped' | 'different_day' | 'different_year' | 'unknown';
            /** What the list says */
            listed: string[];
            /** Added to the score of the name */
            effect: number;
          };
          country: {
            verdict: 'same' | 'different' | 'unknown';
            /** What the list says */
            listed: string[];
            /** Added to the score of the name */
            effect: number;
          };
          gender: {
            verdict: 'same' | 'different' | 'unknown';
            /** What the list says */
            listed: string[];
            /** Added to the score of the name */
            effect: number;
          };
        };
        /** Sanctions programmes, offices, charges or headlines */
        programs: string[];
        listed_on: string | null;
        /** When the last office of a politically exposed person ended, or will end */
        ended_on: string | null;
        url: string | null;
        /** The hit was found to be somebody else, and does not count */
        cleared: {
          clearance: string;
          cleared_by: string;
          /** The key that recorded what `cleared_by` decided; null: that person did */
          recorded_by?: string | null;
          reason: string;
          at: string;
          expires_at: string | null;
        } | null;
      })[];
      screening: {
        engine_version: string;
        threshold: number;
        lists: ({
          list: string;
          version: string;
          published_on: string | null;
          entries: number;
        })[];
      };
    };
  };
}

/** A company with its directors and shareholders, in brief (announced). */
export interface VerifyCac {
  input: {
    /** Registration or business number: 1 to 8 digits, optionally after RC, BN, IT, LP or LLP. Spaces, dashes and case are ignored */
    rc_number: string;
    /** COMPANY, BUSINESS_NAME, INCORPORATED_TRUSTEES, in any case. Without it, the prefix of rc_number decides; without a prefix it is COMPANY */
    company_type?: string;
  };
  entity: {
    /** Registration or business number, without prefix */
    rc_number: string;
    /** Registered name */
    company_name: string;
    /** YYYY-MM-DD */
    incorporation_date: string;
    /** Directors of a company */
    directors: {
      surname: string;
      firstname: string;
      othername: string;
      /** MALE or FEMALE */
      gender: string;
      /** YYYY-MM-DD */
      date_of_birth: string;
      nationality: string;
      occupation: string;
      phone_number: string;
      email: string;
      address: string;
      /** NIN, or empty */
      id_type: string;
      /** Number of that document */
      id_number: string;
      /** YYYY-MM-DD */
      date_of_appointment: string;
    }[];
    /** Shareholders of a company */
    shareholders: {
      surname: string;
      firstname: string;
      othername: string;
      /** MALE or FEMALE */
      gender: string;
      /** YYYY-MM-DD */
      date_of_birth: string;
      nationality: string;
      occupation: string;
      phone_number: string;
      email: string;
      address: string;
      /** NIN, or empty */
      id_type: string;
      /** Number of that document */
      id_number: string;
      /** ORDINARY or PREFERENCE */
      share_type: string;
      /** Count */
      shares_allotted: number;
      /** Percentage of all allotted shares, 0 to 100 */
      share_percent: number;
    }[];
    /** ACTIVE, or INACTIVE if annual returns are due; an INACTIVE company still exists */
    status: string;
  };
}

/** Whose tax identification number is it?. */
export interface Tin {
  input: {
    /** Tax number: 8-4 digits with the dash, 10 digits (JTB), 13 digits, the 11-digit NIN of an individual, or RC and a company number */
    tin: string;
  };
  entity: {
    /** The number submitted */
    search: string;
    /** Number of the taxpayer, 8-4 digits */
    tin: string;
    taxpayer_name: string;
    /** individual or corporate */
    tin_type: string;
    /** Registration number with its prefix (RC1432074); empty for an individual */
    cac_reg_number: string;
    /** Number of the federal tax authority, 8-4 digits */
    firstin: string;
    /** Number of the Joint Tax Board, 10 digits, or N/A */
    jittin: string;
    tax_office: string;
    phone_number: string;
    email: string;
  };
}

/** Taxpayer, tax office, filing status and registration date of a tax number (announced). */
export interface VerifyTin {
  input: {
    /** Tax number: 8-4 digits with the dash, 10 digits (JTB), 13 digits, the 11-digit NIN of an individual, or RC and a company number */
    tin: string;
  };
  entity: {
    /** Number of the taxpayer, 8-4 digits */
    tin: string;
    taxpayer_name: string;
    tax_office: string;
    /** UP_TO_DATE, OVERDUE or NOT_FILED */
    filing_status: string;
    /** Date of registration with the tax authority, YYYY-MM-DD */
    registration_date: string;
  };
}

/** Credit history and score aggregated from three bureaus. */
export interface CreditBvn {
  input: {
    /** Bank verification number, 11 digits, as a string */
    bvn: string;
    /** A mobile number of the BVN record: 080…, 23480… or +23480… */
    phone_number: string;
  };
  entity: {
    bvn: string;
    name: string;
    /** YYYY-MM-DD */
    dateOfBirth: string;
    gender: string;
    phone: string;
    email: string;
    address: string;
    score: {
      bureauStatus: {
        /** unavailable: the bureau did not answer, so the result is partial */
        crc: 'success' | 'no_record' | 'unavailable';
        /** unavailable: the bureau did not answer, so the result is partial */
        firstCentral: 'success' | 'no_record' | 'unavailable';
        /** unavailable: the bureau did not answer, so the result is partial */
        creditRegistry: 'success' | 'no_record' | 'unavailable';
      };
      /** 300 to 850 over all bureaus; null: no bureau has a file */
      aggregateScore: number | null;
      /** Reasons that lower the aggregate score */
      reasons: string[];
      /** Scores that the bureaus give themselves */
      bureauScores: ({
        source: 'CRC' | 'FIRST_CENTRAL' | 'CREDIT_REGISTRY';
        value: {
          score: number;
          rating: string;
        };
      })[];
      /** The score as CRC gives it; null: it has no file or did not answer */
      crc: {
        ficoScore: {
          score: number;
          rating: string;
          reasons: string[];
        } | null;
        /** YES or NO */
        hasLoans: string;
        /** YYYY-MM-DD */
        lastReportedDate: string;
        crcReportOrderNumber: string;
      } | null;
      /** The score as FirstCentral gives it; null: it has no file or did not answer */
      firstCentral: {
        /** As text: 300 plus the points below */
        totalConsumerScore: string;
        /** Such as MEDIUM RISK */
        description: string;
        /** Points out of the maximum, such as 170/192 */
        repaymentHistoryScore: string;
        /** Points out of the maximum, such as 170/192 */
        totalAmountOwedScore: string;
        /** Points out of the maximum, such as 170/192 */
        typesOfCreditScore: string;
        /** Points out of the maximum, such as 170/192 */
        lengthOfCreditHistoryScore: string;
        /** Points out of the maximum, such as 170/192 */
        noOfAcctScore: string;
        totalAccounts: string;
        totalaccountinGoodcondition: string;
        totalaccountinBadcondition: string;
        /** NGN as text, such as 280,567.00 */
        totalOutstandingDebt: string;
        /** NGN as text, such as 280,567.00 */
        totalAmountOverdue: string;
        firstCentralEnquiryResultID: string;
        /** YYYY-MM-DD */
        scoreDate: string;
      } | null;
      totalNoOfLoans: ({
        source: 'CRC' | 'FIRST_CENTRAL' | 'CREDIT_REGISTRY';
        value: number;
      })[];
      totalNoOfActiveLoans: ({
        source: 'CRC' | 'FIRST_CENTRAL' | 'CREDIT_REGISTRY';
        value: number;
      })[];
      totalNoOfClosedLoans: ({
        source: 'CRC' | 'FIRST_CENTRAL' | 'CREDIT_REGISTRY';
        value: number;
      })[];
      totalNoOfPerformingLoans: ({
        source: 'CRC' | 'FIRST_CENTRAL' | 'CREDIT_REGISTRY';
        value: number;
      })[];
      totalNoOfInstitutions: ({
        source: 'CRC' | 'FIRST_CENTRAL' | 'CREDIT_REGISTRY';
        value: number;
      })[];
      totalNoOfDelinquentFacilities: ({
        source: 'CRC' | 'FIRST_CENTRAL' | 'CREDIT_REGISTRY';
        value: number;
      })[];
      totalNoOfOverdueAccounts: ({
        source: 'CRC' | 'FIRST_CENTRAL' | 'CREDIT_REGISTRY';
        value: number;
      })[];
      maxNoOfDays: ({
        source: 'CRC' | 'FIRST_CENTRAL' | 'CREDIT_REGISTRY';
        value: number;
      })[];
      totalBorrowed: ({
        source: 'CRC' | 'FIRST_CENTRAL' | 'CREDIT_REGISTRY';
        value: number;
      })[];
      totalOutstanding: ({
        source: 'CRC' | 'FIRST_CENTRAL' | 'CREDIT_REGISTRY';
        value: number;
      })[];
      totalOverdue: ({
        source: 'CRC' | 'FIRST_CENTRAL' | 'CREDIT_REGISTRY';
        value: number;
      })[];
      highestLoanAmount: ({
        source: 'CRC' | 'FIRST_CENTRAL' | 'CREDIT_REGISTRY';
        value: number;
      })[];
      totalMonthlyInstallment: ({
        source: 'CRC' | 'FIRST_CENTRAL' | 'CREDIT_REGISTRY';
        value: number;
      })[];
      creditors: ({
        source: 'CRC' | 'FIRST_CENTRAL' | 'CREDIT_REGISTRY';
        value: {
          Name: string;
          Phone: string;
          Address: string;
          Subscriber_ID: string;
        }[];
      })[];
      creditEnquiries: ({
        source: 'CRC' | 'FIRST_CENTRAL' | 'CREDIT_REGISTRY';
        value: {
          loanProvider: string;
          reason: string;
          /** YYYY-MM-DD */
          date: string;
          contactPhone: string;
        }[];
      })[];
      creditEnquiriesSummary: ({
        source: 'CRC' | 'FIRST_CENTRAL' | 'CREDIT_REGISTRY';
        value: {
          /** A number as text */
          Last3MonthCount: string;
          /** A number as text */
          Last12MonthCount: string;
          /** A number as text */
          Last36MonthCount: string;
        };
      })[];
      /** Open loans */
      loanPerformance: ({
        source: 'CRC' | 'FIRST_CENTRAL' | 'CREDIT_REGISTRY';
        value: ({
          loanProvider: string;
          accountNumber: string;
          /** NGN */
          loanAmount: number;
          /** NGN */
          outstandingBalance: number;
          /** NGN */
          overdueAmount: number;
          /** NGN */
          monthlyInstallment: number;
          status: 'open' | 'closed';
          /** delinquent: 90 days overdue or more */
          performanceStatus: 'performing' | 'overdue' | 'delinquent';
          type: string;
          /** Months */
          loanDuration: number;
          /** Such as Monthly */
          repaymentFrequency: string;
          /** In the words of the bureau */
          repaymentBehavior: string;
          /** One digit for each month, latest first: multiples of 30 days overdue (9: nine or more) */
          paymentProfile: string;
          /** YYYY-MM-DD */
          dateAccountOpened: string;
          /** YYYY-MM-DD */
          lastUpdatedAt: string;
        })[];
      })[];
      /** All loans */
      loanHistory: ({
        source: 'CRC' | 'FIRST_CENTRAL' | 'CREDIT_REGISTRY';
        value: ({
          loanProvider: string;
          accountNumber: string;
          /** NGN */
          loanAmount: number;
          /** NGN */
          outstandingBalance: number;
          /** NGN */
          overdueAmount: number;
          /** NGN */
          monthlyInstallment: number;
          status: 'open' | 'closed';
          /** delinquent: 90 days overdue or more */
          performanceStatus: 'performing' | 'overdue' | 'delinquent';
          type: string;
          /** Months */
          loanDuration: number;
          /** Such as Monthly */
          repaymentFrequency: string;
          /** In the words of the bureau */
          repaymentBehavior: string;
          /** One digit for each month, latest first: multiples of 30 days overdue (9: nine or more) */
          paymentProfile: string;
          /** YYYY-MM-DD */
          dateAccountOpened: string;
          /** YYYY-MM-DD */
          lastUpdatedAt: string;
        })[];
      })[];
    };
  };
}

/** Holder, birth date, issue and expiry of a driver's licence, with portrait. */
export interface DriversLicense {
  input: {
    /** Three letters, five digits, two letters, two digits; older forms are accepted. Spaces and hyphens are ignored */
    license_number: string;
    /** YYYY-MM-DD; refused if it differs from the record */
    date_of_birth?: string;
  };
  entity: {
    license_number: string;
    full_name: string;
    /** YYYY-MM-DD */
    date_of_birth: string;
    /** YYYY-MM-DD */
    issue_date: string;
    /** YYYY-MM-DD */
    expiry_date: string;
    issuing_state: string;
    /** Portrait as a data: URI; nothing has to be fetched */
    photo_url: string;
  };
}

/** Holder, nationality and expiry of an international passport. */
export interface Passport {
  input: {
    /** A letter and 8 digits */
    passport_number: string;
    /** Surname of the holder; refused if it differs from the record */
    last_name: string;
  };
  entity: {
    passport_number: string;
    first_name: string;
    last_name: string;
    /** Three letters, ICAO 9303: NGA */
    nationality: string;
    /** YYYY-MM-DD */
    expiry_date: string;
  };
}

/** Holder and polling unit of a permanent voter card. */
export interface Pvc {
  input: {
    /** Voter identification number, commonly 19 letters and digits. Spaces and hyphens are ignored */
    vin_number: string;
    /** State of registration; refused if it differs from the record */
    state?: string;
    /** Surname of the holder; refused if it differs from the record */
    last_name?: string;
  };
  entity: {
    vin_number: string;
    full_name: string;
    polling_unit: string;
    /** State/LGA/ward/unit: SS/LL/WW/PPP */
    polling_unit_code: string;
    ward: string;
    lga: string;
    state: string;
  };
}

/** Registered holder, operator and activation of a Nigerian mobile number. */
export interface Phone {
  input: {
    /** Nigerian mobile number: 080…, 23480… or +23480… */
    phone_number: string;
  };
  entity: {
    /** E.164 */
    phone_number: string;
    registered_name: string;
    /** Current operator of the number; ported numbers keep their prefix, so the prefix does not identify the operator */
    network_carrier: string;
    /** YYYY-MM-DD */
    sim_activation_date: string;
  };
}

/** Address of an electricity meter, against a bill and coordinates. */
export interface Address {
  input: {
    /** First name of the customer; refused if it differs from the record */
    first_name?: string;
    /** Surname of the customer; refused if it differs from the record */
    last_name?: string;
    /** Electricity meter, 11 or 13 digits. Required unless the bill states it */
    meter_number?: string;
    /** Text of an electricity bill. Its meter number is looked up; its customer's name and address are compared with the record */
    utility_bill?: string;
    /** Decimal degrees; together with longitude */
    latitude?: string | number;
    /** Decimal degrees; together with latitude */
    longitude?: string | number;
  };
  entity: {
    verified_address: string;
    meter_number: string;
    lga: string;
    state: string;
    /** Whether the coordinates lie within 250 m of the meter; null: no coordinates were sent */
    geolocation_match: boolean | null;
  };
}

/** Does the selfie show the person of this NIN or BVN? With passive liveness. */
export interface PhotoidVerify {
  input: {
    /** BVN or NIN */
    id_type: string;
    /** The NIN or BVN, 11 digits, as a string */
    id_number: string;
    /** Selfie: JPEG, PNG or WebP as base64, bare or as a data: URI; at most 10 MB */
    image: string;
    /** Minimum confidence of a match, 0 to 100; a value up to 1 is a fraction, so 1 is 100 %. Default: the app's own, else 90 */
    threshold?: number | string;
  };
  entity: {
    /** REVIEW: 50 or more but below the threshold, or a suspected replay */
    match_status: 'MATCH' | 'REVIEW' | 'NO_MATCH';
    /** 0 to 100 */
    confidence_score: number;
    /** Passive liveness of the selfie; null: it could not be judged, take another picture */
    liveness_verified: boolean | null;
    /** The threshold applied, 0 to 100 */
    threshold: number;
    liveness: {
      /** 0 to 1; null: liveness could not be judged */
      score: number | null;
      /** inconclusive: no verdict; take another picture, as `advice` says */
      decision: 'live' | 'review' | 'spoof' | 'inconclusive';
      /** null if `live` */
      reason: string | null;
      /** What to tell the person if `inconclusive`, else null */
      advice: string | null;
    };
    quality: {
      selfie: {
        /** Pixels between the sides of the face, in the picture as sent */
        face_width: number;
        /** Variance of the Laplacian of the face */
        sharpness: number;
        /** Mean luma of the face, 0 to 255 */
        brightness: number;
        /** Degrees; 0: upright */
        roll: number;
        /** Degrees; 0: facing the camera */
        yaw: number;
      };
      /** null: the number has a scripted outcome */
      portrait: {
        /** Pixels between the sides of the face, in the picture as sent */
        face_width: number;
        /** Variance of the Laplacian of the face */
        sharpness: number;
        /** Mean luma of the face, 0 to 255 */
        brightness: number;
        /** Degrees; 0: upright */
        roll: number;
        /** Degrees; 0: facing the camera */
        yaw: number;
      } | null;
    };
    /** Number of faces found */
    faces: {
      selfie: number;
      portrait: number | null;
    };
    /** The portrait itself was probably sent as the selfie */
    replay_suspected: boolean;
  };
}

/** Does the selfie show the person in the photograph of a document? With passive liveness. */
export interface PhotoidCompare {
  input: {
    /** Selfie: JPEG, PNG or WebP as base64, bare or as a data: URI; at most 10 MB */
    selfie_image: string;
    /** The document, or the photograph on it */
    photoid_image: string;
    /** Minimum confidence of a match, 0 to 100; a value up to 1 is a fraction, so 1 is 100 %. Default: the app's own, else 90 */
    threshold?: number | string;
  };
  entity: {
    /** REVIEW: 50 or more but below the threshold, or a suspected replay */
    match_status: 'MATCH' | 'REVIEW' | 'NO_MATCH';
    /** 0 to 100 */
    confidence_score: number;
    /** Passive liveness of the selfie; null: it could not be judged, take another picture */
    liveness_verified: boolean | null;
    /** The threshold applied, 0 to 100 */
    threshold: number;
    liveness: {
      /** 0 to 1; null: liveness could not be judged */
      score: number | null;
      /** inconclusive: no verdict; take another picture, as `advice` says */
      decision: 'live' | 'review' | 'spoof' | 'inconclusive';
      /** null if `live` */
      reason: string | null;
      /** What to tell the person if `inconclusive`, else null */
      advice: string | null;
    };
    quality: {
      selfie: {
        /** Pixels between the sides of the face, in the picture as sent */
        face_width: number;
        /** Variance of the Laplacian of the face */
        sharpness: number;
        /** Mean luma of the face, 0 to 255 */
        brightness: number;
        /** Degrees; 0: upright */
        roll: number;
        /** Degrees; 0: facing the camera */
        yaw: number;
      };
      /** null: the number has a scripted outcome */
      portrait: {
        /** Pixels between the sides of the face, in the picture as sent */
        face_width: number;
        /** Variance of the Laplacian of the face */
        sharpness: number;
        /** Mean luma of the face, 0 to 255 */
        brightness: number;
        /** Degrees; 0: upright */
        roll: number;
        /** Degrees; 0: facing the camera */
        yaw: number;
      } | null;
    };
    /** Number of faces found */
    faces: {
      selfie: number;
      portrait: number | null;
    };
    /** The portrait itself was probably sent as the selfie */
    replay_suspected: boolean;
    selfie: {
      /** 0 to 100 */
      confidence_value: number;
      /** `false` also if a person has to decide */
      match: boolean;
    };
  };
}

/** Selfie against the portrait of a NIN, with liveness and the basic data. */
export interface NinVerify {
  input: {
    /** National identity number, 11 digits, as a string */
    nin: string;
    /** Selfie: JPEG, PNG or WebP as base64, bare or as a data: URI; at most 10 MB */
    selfie_image: string;
    /** Minimum confidence of a match, 0 to 100; a value up to 1 is a fraction, so 1 is 100 %. Default: the app's own, else 90 */
    threshold?: number | string;
  };
  entity: {
    nin: string;
    firstname: string;
    surname: string;
    middlename: string;
    gender: string;
    /** YYYY-MM-DD */
    birthdate: string;
    telephoneno: string;
    /** Portrait on record, base64 */
    image: string;
    selfie_verification: {
      /** 0 to 100 */
      confidence_value: number;
      /** `false` also if a person has to decide */
      match: boolean;
    };
    /** Passive liveness of the selfie; null: it could not be judged, take another picture */
    liveness_verified: boolean | null;
    /** The threshold applied, 0 to 100 */
    threshold: number;
    liveness: {
      /** 0 to 1; null: liveness could not be judged */
      score: number | null;
      /** inconclusive: no verdict; take another picture, as `advice` says */
      decision: 'live' | 'review' | 'spoof' | 'inconclusive';
      /** null if `live` */
      reason: string | null;
      /** What to tell the person if `inconclusive`, else null */
      advice: string | null;
    };
    quality: {
      selfie: {
        /** Pixels between the sides of the face, in the picture as sent */
        face_width: number;
        /** Variance of the Laplacian of the face */
        sharpness: number;
        /** Mean luma of the face, 0 to 255 */
        brightness: number;
        /** Degrees; 0: upright */
        roll: number;
        /** Degrees; 0: facing the camera */
        yaw: number;
      };
      /** null: the number has a scripted outcome */
      portrait: {
        /** Pixels between the sides of the face, in the picture as sent */
        face_width: number;
        /** Variance of the Laplacian of the face */
        sharpness: number;
        /** Mean luma of the face, 0 to 255 */
        brightness: number;
        /** Degrees; 0: upright */
        roll: number;
        /** Degrees; 0: facing the camera */
        yaw: number;
      } | null;
    };
    /** Number of faces found */
    faces: {
      selfie: number;
      portrait: number | null;
    };
    /** The portrait itself was probably sent as the selfie */
    replay_suspected: boolean;
  };
}

/** Selfie against the portrait of a BVN, with liveness and the basic data. */
export interface BvnVerify {
  input: {
    /** Bank verification number, 11 digits, as a string */
    bvn: string;
    /** Selfie: JPEG, PNG or WebP as base64, bare or as a data: URI; at most 10 MB */
    selfie_image: string;
    /** Minimum confidence of a match, 0 to 100; a value up to 1 is a fraction, so 1 is 100 %. Default: the app's own, else 90 */
    threshold?: number | string;
  };
  entity: {
    bvn: string;
    first_name: string;
    last_name: string;
    middle_name: string;
    gender: string;
    /** YYYY-MM-DD */
    date_of_birth: string;
    phone_number1: string;
    phone_number2: string;
    /** Portrait on record, base64 */
    image: string;
    selfie_verification: {
      /** 0 to 100 */
      confidence_value: number;
      /** `false` also if a person has to decide */
      match: boolean;
    };
    /** Passive liveness of the selfie; null: it could not be judged, take another picture */
    liveness_verified: boolean | null;
    /** The threshold applied, 0 to 100 */
    threshold: number;
    liveness: {
      /** 0 to 1; null: liveness could not be judged */
      score: number | null;
      /** inconclusive: no verdict; take another picture, as `advice` says */
      decision: 'live' | 'review' | 'spoof' | 'inconclusive';
      /** null if `live` */
      reason: string | null;
      /** What to tell the person if `inconclusive`, else null */
      advice: string | null;
    };
    quality: {
      selfie: {
        /** Pixels between the sides of the face, in the picture as sent */
        face_width: number;
        /** Variance of the Laplacian of the face */
        sharpness: number;
        /** Mean luma of the face, 0 to 255 */
        brightness: number;
        /** Degrees; 0: upright */
        roll: number;
        /** Degrees; 0: facing the camera */
        yaw: number;
      };
      /** null: the number has a scripted outcome */
      portrait: {
        /** Pixels between the sides of the face, in the picture as sent */
        face_width: number;
        /** Variance of the Laplacian of the face */
        sharpness: number;
        /** Mean luma of the face, 0 to 255 */
        brightness: number;
        /** Degrees; 0: upright */
        roll: number;
        /** Degrees; 0: facing the camera */
        yaw: number;
      } | null;
    };
    /** Number of faces found */
    faces: {
      selfie: number;
      portrait: number | null;
    };
    /** The portrait itself was probably sent as the selfie */
    replay_suspected: boolean;
  };
}

/** Does the selfie show the person of this NIN or BVN, and was it taken of a live person?. */
export interface FaceMatch {
  input: {
    /** BVN or NIN */
    id_type: string;
    /** The NIN or BVN, 11 digits, as a string */
    id_number: string;
    /** Selfie: JPEG, PNG or WebP as base64, bare or as a data: URI; at most 10 MB */
    image: string;
    /** Minimum confidence of a match, 0 to 100; a value up to 1 is a fraction, so 1 is 100 %. Default: the app's own, else 90 */
    threshold?: number | string;
  };
  entity: {
    /** 0 to 100 */
    confidence_score: number;
    /** REVIEW: 50 or more but below the threshold, or a suspected replay */
    match_result: 'MATCH' | 'REVIEW' | 'NO_MATCH';
    /** Passive liveness of the selfie; null: it could not be judged, take another picture */
    liveness_detected: boolean | null;
    /** HIGH: a spoof or a suspected replay; MEDIUM: liveness is doubtful; null: it could not be judged, take another picture */
    spoof_risk: 'LOW' | 'MEDIUM' | 'HIGH' | null;
    /** The threshold applied, 0 to 100 */
    threshold: number;
    liveness: {
      /** 0 to 1; null: liveness could not be judged */
      score: number | null;
      /** inconclusive: no verdict; take another picture, as `advice` says */
      decision: 'live' | 'review' | 'spoof' | 'inconclusive';
      /** null if `live` */
      reason: string | null;
      /** What to tell the person if `inconclusive`, else null */
      advice: string | null;
    };
    quality: {
      selfie: {
        /** Pixels between the sides of the face, in the picture as sent */
        face_width: number;
        /** Variance of the Laplacian of the face */
        sharpness: number;
        /** Mean luma of the face, 0 to 255 */
        brightness: number;
        /** Degrees; 0: upright */
        roll: number;
        /** Degrees; 0: facing the camera */
        yaw: number;
      };
      /** null: the number has a scripted outcome */
      portrait: {
        /** Pixels between the sides of the face, in the picture as sent */
        face_width: number;
        /** Variance of the Laplacian of the face */
        sharpness: number;
        /** Mean luma of the face, 0 to 255 */
        brightness: number;
        /** Degrees; 0: upright */
        roll: number;
        /** Degrees; 0: facing the camera */
        yaw: number;
      } | null;
    };
    /** Number of faces found */
    faces: {
      selfie: number;
      portrait: number | null;
    };
    /** The portrait itself was probably sent as the selfie */
    replay_suspected: boolean;
  };
}

/** A person or an organization: sanctions, politically exposed persons, police notices and adverse media. */
export interface AmlScreening {
  input: {
    /** Full name of a person, or name of an organization, in any script */
    name: string;
    /** person or organization. Without it, a date of birth or a gender means a person, a registration number an organization, and otherwise both are searched */
    type?: string;
    /** YYYY-MM-DD */
    date_of_birth?: string;
    /** Country of nationality or residence, or of registration: ISO 3166-1 alpha-2, such as NG */
    country?: string;
    /** male or female */
    gender?: string;
    /** Registration or tax number of an organization */
    registration_number?: string;
    /** Score that a hit needs, 0.5 to 1 (or 50 to 100); default 0.75, or the app's own */
    threshold?: number | string;
    /** Lists to screen against, separated by commas; default: all loaded lists, or those of the app */
    lists?: string[] | string;
    /** true: the person or organization is monitored, and new hits are reported as `aml.monitor.hit` */
    monitor?: boolean | string;
  };
  entity: {
    risk_level: 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
    /** A hit of category pep that nobody has cleared */
    pep_detected: boolean;
    /** A hit of category sanction that nobody has cleared */
    sanctions_match: boolean;
    /** Over all lists, cleared ones too */
    total_hits: number;
    /** ISO 8601, UTC, with milliseconds */
    screened_at: string;
    /** 0 to 100 */
    risk_score: number;
    /** Best first, at most 100 */
    hits: ({
      list: string;
      list_version: string;
      /** The publisher's id of the entry */
      source_id: string;
      type: 'person' | 'organization';
      category: 'sanction' | 'pep' | 'wanted' | 'adverse_media';
      /** The primary name of the entry */
      name: string;
      /** The listed name that matched */
      matched_alias: string;
      /** 0 to 1 */
      score: number;
      explanation: {
        tokens: ({
          /** null: no word that was sent corresponds to the listed word */
          query: string | null;
          /** null: no listed word corresponds to the word that was sent */
          listed: string | null;
          how: 'exact' | 'folded' | 'nickname' | 'edit' | 'script' | 'initial' | 'joined' | 'unmatched';
          similarity: number;
        })[];
        /** Rules that changed the score (docs/aml.md) */
        rules: string[];
        name_score: number;
        dob: {
          verdict: 'exact' | 'within_range' | 'same_year' | 'near_year' | 'day_month_swapped' | 'different_day' | 'different_year' | 'unknown';
          /** What the list says */
          listed: string[];
          /** Added to the score of the name */
          effect: number;
        };
        country: {
          verdict: 'same' | 'different' | 'unknown';
          /** What the list says */
          listed: string[];
          /** Added to the score of the name */
          effect: number;
        };
        gender: {
          verdict: 'same' | 'different' | 'unknown';
          /** What the list says */
          listed: string[];
          /** Added to the score of the name */
          effect: number;
        };
      };
      /** Sanctions programmes, offices, charges or headlines */
      programs: string[];
      listed_on: string | null;
      /** When the last office of a politically exposed person ended, or will end */
      ended_on: string | null;
      url: string | null;
      /** The hit was found to be somebody else, and does not count */
      cleared: {
        clearance: string;
        cleared_by: string;
        /** The key that recorded what `cleared_by` decided; null: that person did */
        recorded_by?: string | null;
        reason: string;
        at: string;
        expires_at: string | null;
      } | null;
    })[];
    screening: {
      engine_version: string;
      threshold: number;
      lists: ({
        list: string;
        version: string;
        published_on: string | null;
        entries: number;
      })[];
    };
  };
}

/** Risk of an address: disposable domain, deliverability, exposure in breaches. */
export interface EmailRisk {
  input: {
    /** One email address, which may be internationalised (RFC 6531) */
    email: string;
  };
  entity: {
    email: string;
    /** Risk, 0 (none) to 100 */
    score: number | null;
    /** high, medium or low */
    reputation: string | null;
    suspicious: boolean | null;
    /** Breaches in which the address was seen */
    references: number | null;
    /** Its mail host accepts mail for the address; null: it was not asked, or did not say */
    deliverable: boolean | null;
    /** high, medium or low: how many sources could be asked */
    confidence: string | null;
    /** The domain that was probably meant; null: the domain does not look mistyped */
    suggestion: string | null;
    /** The mailbox: without plus tag, Gmail without dots */
    normalized: string | null;
    /** What the mail host said: accepted, accept_all, rejected, full, greylisted, blocked, timeout, off … (docs/deliverability.md) */
    deliverability: string | null;
    /** A role rather than a person: info@, sales@, hr.lagos@ */
    role: boolean | null;
    /** An alias at a forwarding service (SimpleLogin, addy.io, Firefox Relay): its owner reads the mail elsewhere and can delete the alias */
    forwarding: boolean | null;
    /** The domain imitates a well-known one */
    lookalike: boolean | null;
    /** The reasons for the score */
    signals: {
      /** docs/email.md lists them */
      code: string;
      /** Points added to the score; negative if it lowers the score */
      effect: number;
      detail: string;
    }[];
    details: {
      blacklisted: boolean | null;
      malicious_activity: boolean | null;
      malicious_activity_recent: boolean | null;
      /** A breach contained a password or its hash */
      credentials_leaked: boolean | null;
      /** Credentials leaked in the last 90 days */
      credentials_leaked_recent: boolean | null;
      data_breach: boolean | null;
      /** Date of the first breach, YYYY-MM-DD */
      first_seen: string | null;
      /** Date of the latest breach, YYYY-MM-DD */
      last_seen: string | null;
      domain_exists: boolean | null;
      domain_reputation: string | null;
      /** Registered within the last year (the signal `domain_new` means 30 days) */
      new_domain: boolean | null;
      days_since_domain_creation: number | null;
      suspicious_tld: boolean | null;
      spam: boolean | null;
      free_provider: boolean | null;
      disposable: boolean | null;
      deliverable: boolean | null;
      /** The mail host accepts any address of the domain */
      accept_all: boolean | null;
      /** Some host accepts mail for the domain */
      valid_mx: boolean | null;
      primary_mx: string | null;
      /** DMARC does not stop others from sending in its name */
      spoofable: boolean | null;
      spf_strict: boolean | null;
      dmarc_enforced: boolean | null;
      profiles: string[] | null;
    };
    domain_details: {
      domain: string | null;
      tld: string | null;
      registered: boolean | null;
      /** YYYY-MM-DD */
      created: string | null;
      /** YYYY-MM-DD */
      updated: string | null;
      /** YYYY-MM-DD */
      expires: string | null;
      registrar_name: string | null;
      registered_to: string | null;
      disposable: boolean | null;
      free: boolean | null;
      /** Neither free nor disposable */
      custom: boolean | null;
      dmarc_enforced: boolean | null;
      spf_strict: boolean | null;
      valid_mx: boolean | null;
      accept_all: boolean | null;
      suspicious_tld: boolean | null;
      website_exists: boolean | null;
    };
    breach_details: {
      haveibeenpwned_listed: boolean | null;
      number_of_breaches: number | null;
      /** YYYY-MM-DD */
      first_breach: string | null;
      breaches: string[] | null;
    };
    account_details_registered: string[] | null;
  };
}

export interface Checks {
  nin_basic: NinBasic;
  nin_advance: NinAdvance;
  nin_premium: NinPremium;
  nin_slip: NinSlip;
  bvn_match: BvnMatch;
  bvn_full: BvnFull;
  bvn_advance: BvnAdvance;
  cac_basic: CacBasic;
  cac_advance: CacAdvance;
  cac_screening: CacScreening;
  verify_cac: VerifyCac;
  tin: Tin;
  verify_tin: VerifyTin;
  credit_bvn: CreditBvn;
  drivers_license: DriversLicense;
  passport: Passport;
  pvc: Pvc;
  phone: Phone;
  address: Address;
  photoid_verify: PhotoidVerify;
  photoid_compare: PhotoidCompare;
  nin_verify: NinVerify;
  bvn_verify: BvnVerify;
  face_match: FaceMatch;
  aml_screening: AmlScreening;
  email_risk: EmailRisk;
}

export type CheckId = keyof Checks;

/** By family and name, as the client offers them. */
export const catalogue = {
  nin: {
    basic: { id: 'nin_basic', method: 'GET', path: '/api/v1/kyc/nin' },
    advance: { id: 'nin_advance', method: 'GET', path: '/api/v1/kyc/nin/advance' },
    premium: { id: 'nin_premium', method: 'GET', path: '/api/v1/kyc/nin/premium' },
    slip: { id: 'nin_slip', method: 'GET', path: '/api/v1/kyc/nin/nin_slip' },
  },
  bvn: {
    match: { id: 'bvn_match', method: 'GET', path: '/api/v1/kyc/bvn' },
    full: { id: 'bvn_full', method: 'GET', path: '/api/v1/kyc/bvn/full' },
    advance: { id: 'bvn_advance', method: 'GET', path: '/api/v1/kyc/bvn/advance' },
  },
  cac: {
    basic: { id: 'cac_basic', method: 'GET', path: '/api/v1/kyc/cac/basic' },
    advance: { id: 'cac_advance', method: 'GET', path: '/api/v1/kyc/cac/advance' },
    screening: { id: 'cac_screening', method: 'GET', path: '/api/v1/kyc/cac/screening' },
    verify: { id: 'verify_cac', method: 'POST', path: '/v1/verify/cac' },
  },
  tin: {
    lookup: { id: 'tin', method: 'GET', path: '/api/v1/kyc/tin' },
    verify: { id: 'verify_tin', method: 'POST', path: '/v1/verify/tin' },
  },
  credit: {
    bvn: { id: 'credit_bvn', method: 'GET', path: '/api/v1/credit/bvn' },
  },
  document: {
    driversLicense: { id: 'drivers_license', method: 'POST', path: '/v1/verify/drivers-license' },
    passport: { id: 'passport', method: 'POST', path: '/v1/verify/passport' },
    pvc: { id: 'pvc', method: 'POST', path: '/v1/verify/pvc' },
    phone: { id: 'phone', method: 'POST', path: '/v1/verify/phone' },
    address: { id: 'address', method: 'POST', path: '/v1/verify/address' },
  },
  face: {
    photoidVerify: { id: 'photoid_verify', method: 'POST', path: '/api/v1/kyc/photoid/verify' },
    photoidCompare: { id: 'photoid_compare', method: 'POST', path: '/api/v1/kyc/photoid/compare' },
    ninVerify: { id: 'nin_verify', method: 'POST', path: '/api/v1/kyc/nin/verify' },
    bvnVerify: { id: 'bvn_verify', method: 'POST', path: '/api/v1/kyc/bvn/verify' },
    match: { id: 'face_match', method: 'POST', path: '/v1/verify/biometrics/face-match' },
  },
  aml: {
    screening: { id: 'aml_screening', method: 'POST', path: '/api/v1/aml/screening' },
  },
  email: {
    risk: { id: 'email_risk', method: 'GET', path: '/api/v1/kyc/email' },
  },
} as const satisfies Record<string, Record<string, { id: CheckId; method: 'GET' | 'POST'; path: string }>>;
