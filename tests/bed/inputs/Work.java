// SPDX-License-Identifier: BSD-3-Clause
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;

public class Work {
    public static void main(String[] args) {
        HashMap<Long, Integer> counts = new HashMap<>();
        ArrayList<Long> list = new ArrayList<>();
        double[] cells = new double[1 << 21];
        long x = 12345;
        for (int i = 0; i < 6000000; i++) {
            x = (x * 1103515245L + 12345L) % 2147483648L;
            counts.merge(x % 200003, 1, Integer::sum);
            cells[(int) (x % cells.length)] += i;
            if (i % 7 == 0) list.add(x);
        }
        Collections.sort(list);
        double sum = 0;
        for (double c : cells) sum += c;
        System.out.println(counts.size() + " " + list.get(1000) + " " + sum);
    }
}
