/** A list's filters, kept in the page's address: they survive a reload, and a link leads to the same list. */
import type { ComponentChildren } from 'preact';
import { query, setQuery } from '../router.ts';
import { textIn } from './form.tsx';

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

interface FilterFormProps {
  children: ComponentChildren;
  /** What the address keeps of what was typed. */
  kept?: (typed: string) => string;
}

/** Choices, which take effect at once, and searches. */
export const FilterForm = ({ children, kept = (typed) => typed }: FilterFormProps) => (
  <form
    class="filters"
    onSubmit={(event) => {
      event.preventDefault();
      const entered = new FormData(event.currentTarget);
      setQuery(Object.fromEntries([...entered.keys()].map((name) => [name, kept(textIn(entered, name))])));
    }}
  >
    {children}
    <button type="submit">Find</button>
  </form>
);
