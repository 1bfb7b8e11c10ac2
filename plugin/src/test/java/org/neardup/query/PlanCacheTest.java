package org.neardup.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.neardup.signature.Lexicon;
import org.neardup.signature.QGramRecipe;
import org.neardup.signature.Recipe;
import org.neardup.signature.Signer;

@DisplayName("The cache of plans")
class PlanCacheTest {
    private static final IndexSigning SIGNING = signing(new Recipe(4, false, 1, 32, Recipe.DEFAULT.reach(), null));
    private static final IndexSigning FOLDED = signing(new Recipe(4, true, 1, 32, Recipe.DEFAULT.reach(), null));

    private static IndexSigning signing(Recipe recipe) {
        String text = new Signer(recipe, Lexicon.getDefault()).recipe();
        return new IndexSigning(QGramRecipe.of(text), null, Signer.LARGEST_MAX_LENGTH);
    }

    @BeforeAll
    static void prepare() {
        Requests.prepare();
    }

    private static String large() {
        int[] characters = new Random(7).ints(300_000, 0x4E00, 0x9FA5).toArray();
        return new String(characters, 0, characters.length);
    }

    @Test
    @DisplayName("cuts a large text once for all clauses of a search, whatever their thresholds are")
    void shared() {
        List<Long> cut = new ArrayList<>();
        PlanCache plans = new PlanCache(name -> Lexicon.getDefault(), cut::add);
        LikeSource like = new LikeSource.Text(large());
        List<QueryGrams> held = new ArrayList<>();
        for (String threshold : List.of("0.5", "0.7", "0.5")) {
            LikeSource same = new LikeSource.Text(large());
            held.add(plans.get(like, SIGNING, Threshold.parse(threshold), Integer.MAX_VALUE, true));
            held.add(plans.get(same, SIGNING, Threshold.parse(threshold), Integer.MAX_VALUE, true));
            assertEquals(
                    threshold,
                    assertInstanceOf(ScanPlan.class, held.get(held.size() - 1).plan())
                            .threshold()
                            .toString());
        }
        assertEquals(held.get(0).plan(), held.get(4).plan());
        assertEquals(held.get(0).count(), held.get(2).plan().size());
        assertEquals(held.get(0).fingerprints(), held.get(2).fingerprints());
        assertEquals(1, cut.size());

        held.add(plans.get(like, FOLDED, Threshold.DEFAULT, Integer.MAX_VALUE, true));
        held.add(plans.get(new LikeSource.Text(large() + "a"), SIGNING, Threshold.DEFAULT, Integer.MAX_VALUE, true));
        assertEquals(3, cut.size());
    }

    @Test
    @DisplayName("cuts each text of a search once for all shards, as many as a twentieth of the heap has room for")
    void kept() {
        List<Long> cut = new ArrayList<>();
        PlanCache plans = new PlanCache(name -> Lexicon.getDefault(), cut::add);
        String story = large().substring(0, 4_000);
        int texts = (int) (Runtime.getRuntime().maxMemory() / 20 / (80L * story.length()));
        for (int shard = 0; shard < 2; shard++) {
            for (int text = 0; text < texts; text++) {
                LikeSource like = new LikeSource.Text(text + story);
                plans.get(like, SIGNING, Threshold.DEFAULT, Integer.MAX_VALUE, true);
            }
        }
        assertEquals(texts, cut.size());
    }

    @Test
    @DisplayName("cuts a text while the memory for it is held")
    void held() {
        PlanCache plans = new PlanCache(name -> Lexicon.getDefault(), new MemoryCheck() {
            @Override
            public void ensure(long bytes) {}

            @Override
            public <T> T during(long bytes, Supplier<T> work) {
                throw new IllegalStateException("no memory for " + bytes);
            }
        });
        LikeSource like = new LikeSource.Text("A rose is a ros\u0344.");
        String told = assertThrows(
                        IllegalStateException.class,
                        () -> plans.get(like, SIGNING, Threshold.DEFAULT, Integer.MAX_VALUE, true))
                .getMessage();
        assertEquals("no memory for " + 144 * 18, told);
    }
}
