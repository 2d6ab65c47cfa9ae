package search;

final class Finder {
    private Finder() {
    }

    static int find(int[] keys, int key) {
        int low = 0;
        int high = keys.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
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
