/** Publisher and title of the watch lists. A hit names its list by id only. */
import { useResource } from '../parts/resource.tsx';
import { client } from '../state.ts';

/** Returns the list's id until its title is known, and for a list that is gone. `isWanted`: false where no list is shown. */
export function useListTitles(isWanted = true): (list: string) => string {
  const lists = useResource(isWanted ? 'titles of watch lists' : '', async (signal) =>
    isWanted ? (await client.aml.lists(signal)).data : [],
  );
  const titles = new Map(lists.data?.map(({ list, publisher, title }) => [list, `${publisher}: ${title}`]));
  return (list) => titles.get(list) ?? list;
}
