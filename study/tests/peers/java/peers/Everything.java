package peers;

import data.media.Image;
import data.media.Media;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A field of every kind. The order is that of no format, and a superclass has some fields of the same names. */
public class Everything extends Bases.Base {
    private static final long serialVersionUID = 42L;

    public boolean yes;
    public byte small;
    public char letter;
    public short medium;
    public int whole;
    public long big;
    public float real;
    public double precise;
    public transient int skipped;
    public transient Object forgotten;
    public String text;
    public Object any;
    public Object shared2;
    public Boolean boxedYes;
    public Byte boxedSmall;
    public Character boxedLetter;
    public Short boxedMedium;
    public Integer boxedWhole;
    public Long boxedBig;
    public Float boxedReal;
    public Double boxedPrecise;
    public Number some;
    public Comparable<String> compared;
    public Serializable serial;
    public Image.Size size;
    public Media.Player[] players;
    public Everything self;
    public Bases.Base base;
    public boolean[] flags;
    public byte[] bytes;
    public char[] letters;
    public short[] shorts;
    public int[] ints;
    public long[] longs;
    public float[] floats;
    public double[] doubles;
    public long[][] grid;
    public String[] words;
    public Object[] objects;
    public Image[] images;
    public Object[][] nested;
    public List<String> names;
    public List<Image> pictures;
    public List<?> wild;
    public List<? extends Integer> bounded;
    public ArrayList<List<String>> lines;
    public Collection<Object> mixed;
    @SuppressWarnings("rawtypes")
    public List raw;
    public Map<String, Integer> counts;
    public Map<String, List<Image.Size>> sizes;
    public HashMap<Integer, Map<Long, String>> tables;
    public List<String>[] rows;
    public Map<Media.Player, Object> byPlayer;
    public long shared;

    public void set(short value) {
        number = value;
    }
}
