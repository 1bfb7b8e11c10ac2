package org.neardup.signature;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The part of a recipe that shapes the q-grams: documents can be compared by their q-grams if it is equal. Versions 1
 * and 2 of the recipe have the same q-grams.
 *
 * @param q code points in a q-gram, 1 to 16
 * @param foldCase whether the normal form is lower-cased
 */
public record QGramRecipe(int q, boolean foldCase) {
    private static final Pattern TEXT = Pattern.compile("neardup-[12]:q([1-9][0-9]?):(case|fold):u16:.*");

    public QGramRecipe {
        new Recipe(q, foldCase, 1, 1, Reach.SIX_TENTHS, null);
    }

    /** Whether a whole recipe string, of whatever version, has these q-grams. */
    public boolean isOf(String recipe) {
        try {
            return equals(of(recipe));
        } catch (IllegalArgumentException another) {
            return false;
        }
    }

    /** The q-gram part of a whole recipe string; an error if this plugin does not know such recipes. */
    public static QGramRecipe of(String recipe) {
        Matcher matcher = TEXT.matcher(recipe);
        if (!matcher.matches() || Integer.parseInt(matcher.group(1)) > Recipe.MAX_Q) {
            throw new IllegalArgumentException("[" + recipe + "] is no recipe of this version of neardup");
        }
        return new QGramRecipe(
                Integer.parseInt(matcher.group(1)), matcher.group(2).equals("fold"));
    }

    /** The beginning of a recipe string, without its version, as far as this record has it. */
    @Override
    public String toString() {
        return "q" + q + (foldCase ? ":fold" : ":case") + ":u16";
    }
}
