/** Names of invented companies: common words combined with family names, so that any match with a real company is chance. */
import type { CompanyType } from '../checks/provider.ts';
import { GROUPS } from '../names/nigerian-names.ts';
import type { Draw } from './draw.ts';
import type { Home } from './people.ts';

const words = (text: string): readonly string[] => text.split(', ');

const FIRST = words(
  'Acacia, Baobab, Cedar, Confluence, Coral, Ebony, Granite, Harmattan, Harvest, Indigo, Iroko, Lagoon, Mahogany, Obeche',
);
const SECOND = words('Arc, Bridge, Crest, Field, Gate, Grove, Hill, Lane, Ridge, Root, Spring, Stone, Vale, Yard');
const SECTORS = words(
  'Agro-Allied, Aluminium, Beverages, Building Materials, Cold Chain, Construction, Consulting, Digital Services, Energy, Engineering, Farms, ' +
    'Fisheries, Foods, Freight, Furniture, Garments, Healthcare, Hospitality, Logistics, Media, Packaging, Pharmaceuticals, Plastics, Printing, ' +
    'Properties, Rice Mills, Security Services, Software, Solar Power, Telecoms, Textiles, Transport, Travels, Water Works',
);
const COMPANY_ENDINGS = words('Limited, Limited, Nigeria Limited, Global Limited');
const TRADES = words(
  'Bakery, Barbing Salon, Block Industry, Boutique, Catering Services, Computers, Cosmetics, Electricals, Fashion House, Furniture, ' +
    'Laundry, Motors, Phones, Photo Studio, Poultry, Provisions, Restaurant, Spare Parts, Tailoring, Water',
);
const BUSINESS_ENDINGS = words('Enterprises, Ventures, Stores, and Sons, and Daughters, Concept');
const CAUSES = words(
  'Adult Literacy, Child Welfare, Community Development, Elders, Farmers, Girls Education, Health, Market Women, Old Students, Relief, Widows, Youth',
);
const BODIES = words('Association, Foundation, Initiative, Union');
const PROFESSIONS = words('Solicitors, Chartered Accountants, Surveyors, Architects');

/** In capitals, as the registry writes it. Uses draws 0 to 4. */
export function companyNameOf(type: CompanyType, home: Home, draw: Draw): string {
  const family = (slot: number) => draw.pick(slot + 1, GROUPS[draw.pick(slot, home.state.groups)].surnames);
  const name = () => {
    switch (type) {
      case 'COMPANY': {
        const own = draw.chance(0, 35) ? family(1) : `${draw.pick(1, FIRST)} ${draw.pick(2, SECOND)}`;
        return `${own} ${draw.pick(3, SECTORS)} ${draw.pick(4, COMPANY_ENDINGS)}`;
      }
      case 'BUSINESS_NAME':
        return `${family(0)} ${draw.pick(2, TRADES)} ${draw.pick(3, BUSINESS_ENDINGS)}`;
      case 'INCORPORATED_TRUSTEES':
        return `Incorporated Trustees of ${home.lga.towns[0]} ${draw.pick(0, CAUSES)} ${draw.pick(1, BODIES)}`;
      case 'LIMITED_PARTNERSHIP':
        return `${family(0)} and ${family(2)} ${draw.pick(4, SECTORS)} LP`;
      case 'LIMITED_LIABILITY_PARTNERSHIP':
        return `${family(0)}, ${family(2)} and Partners ${draw.pick(4, PROFESSIONS)} LLP`;
    }
  };
  return name().toUpperCase();
}
