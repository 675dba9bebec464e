/** Sets an entry of a map that has at most `capacity`: where a new one finds it full, the oldest goes. */
export const setBounded = <K, V>(map: Map<K, V>, capacity: number, key: K, value: V): void => {
  if (!map.has(key) && map.size >= capacity) {
    for (const oldest of map.keys()) {
      map.delete(oldest);
      break;
    }
  }
  map.set(key, value);
};
