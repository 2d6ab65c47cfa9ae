package search;

final class Search {
    private Search() {
    }

    /** Finds a key in sorted keys; -1: it is not there. */
    static int find(int[] keys, int key) {
        int low = 0;
        int high = keys.length - 1;
        while (low <= high) {
            int middle = (low + high) / 2;
            if (keys[middle] < key) {
                low = middle + 1;
            } else if (keys[middle] > key) {
                high = middle - 1;
            } else {
                return middle;
            }
        }
        return -1;
    }
}
