/** A list's filters, kept in the page's address: they survive a reload, and a link leads to the same list. */
import { query, setQuery } from '../router.ts';

interface FilterProps {
  /** In the address. */
  name: string;
  label: string;
  options: readonly (readonly [value: string, word: string])[];
  /** The label stands beside the choice instead of above it. */
  isBeside?: boolean;
}

/** Empty if nothing was chosen. */
export const filterOf = (name: string): string => query.value.get(name) ?? '';

export const Filter = ({ name, label, options, isBeside = false }: FilterProps) => (
  <label class={isBeside ? 'beside-label' : 'field'}>
    <span>{label}</span>
    <select value={filterOf(name)} onChange={(event) => setQuery({ [name]: event.currentTarget.value })}>
      {options.map(([value, word]) => (
        <option key={value} value={value}>
          {word}
        </option>
      ))}
    </select>
  </label>
);

interface SearchProps {
  name: string;
  label: string;
  placeholder: string;
  maxLength?: number;
}

/** Takes effect when its form is sent. */
export const Search = ({ name, label, placeholder, maxLength = 200 }: SearchProps) => (
  <label class="field">
    <span>{label}</span>
    <input key={filterOf(name)} name={name} type="search" defaultValue={filterOf(name)} placeholder={placeholder} maxLength={maxLength} />
  </label>
);
