import edu.stanford.nlp.ie.crf.CRFClassifier;
import edu.stanford.nlp.ie.crf.CRFCliqueTree;
import edu.stanford.nlp.ling.CoreAnnotations.AnswerAnnotation;
import edu.stanford.nlp.ling.CoreLabel;
import edu.stanford.nlp.ling.SentenceUtils;
import edu.stanford.nlp.sequences.CoolingSchedule;
import edu.stanford.nlp.sequences.SequenceGibbsSampler;
import edu.stanford.nlp.sequences.SequenceListener;
import edu.stanford.nlp.sequences.SequenceModel;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What stanford.py asks of Stanford's tagger.
 *
 * <p>Stanford.java MODEL prints a line for each token: its label; then the logarithm of the
 * probability of each label at the first token of a sentence, and of each label after each label at
 * the others (entry [x, y] is that of y after x). Their sum over a sentence is the logarithm of the
 * probability of its labels.
 *
 * <p>Stanford.java MODEL STRENGTH SAMPLES prints the seconds of the thread, and the number of the
 * label of each token, which its Gibbs sampler finds if the labels of a clique other than the
 * background (O) ought to agree: n tokens, n_y of them with label y, add STRENGTH / n * sum_y n_y^2.
 *
 * <p>Standard input has a line TOKEN TAB CLIQUE for each token (-1: no clique), and an empty line
 * after each sentence. The first line of the output has the names of the labels.
 */
public class Stanford {
  public static void main(String[] arguments) throws IOException, ClassNotFoundException {
    CRFClassifier<CoreLabel> tagger = CRFClassifier.getClassifier(arguments[0]);
    List<CRFCliqueTree<String>> trees = new ArrayList<>();
    List<String> labels = new ArrayList<>();
    List<Integer> cliques = new ArrayList<>();
    List<String> words = new ArrayList<>();
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = lines.readLine()) != null; ) {
      if (line.isEmpty()) {
        List<CoreLabel> sentence = tagger.classifySentence(SentenceUtils.toUntaggedList(words));
        sentence.forEach(token -> labels.add(token.get(AnswerAnnotation.class)));
        trees.add(tagger.getCliqueTree(sentence));
        words = new ArrayList<>();
      } else {
        int tab = line.lastIndexOf('\t');
        words.add(line.substring(0, tab));
        cliques.add(Integer.valueOf(line.substring(tab + 1)));
      }
    }
    PrintStream out = new PrintStream(System.out, false, "UTF-8");
    out.println(String.join("\t", tagger.classIndex.objectsList()));
    if (arguments.length == 1) {
      printScores(trees, labels, out);
    } else {
      Agreement agreement = new Agreement(trees, cliques, Double.parseDouble(arguments[1]));
      sample(agreement, labels.stream().mapToInt(tagger.classIndex::indexOf).toArray(), Integer.parseInt(arguments[2]), out);
    }
    out.flush();
  }

  private static void printScores(
      List<CRFCliqueTree<String>> trees, List<String> labels, PrintStream out) {
    int token = 0;
    for (CRFCliqueTree<String> tree : trees) {
      for (int position = 0; position < tree.length(); ++position) {
        out.print(labels.get(token++));
        int first = position == 0 ? tree.backgroundIndex() : 0;
        int last = position == 0 ? first : tree.getNumClasses() - 1;
        for (int before = first; before <= last; ++before) {
          for (int label = 0; label < tree.getNumClasses(); ++label) {
            out.print('\t');
            out.print(tree.condLogProbGivenPrevious(position, label, new int[] {before}));
          }
        }
        out.println();
      }
    }
  }

  /** Begins with the tagger's labels, as CRFClassifier.classifyGibbs does, and cools as it does. */
  private static void sample(Agreement model, int[] labels, int samples, PrintStream out) {
    long begin = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    SequenceGibbsSampler sampler = new SequenceGibbsSampler(0, 0, model);
    CoolingSchedule schedule = CoolingSchedule.getLinearSchedule(1.0, samples);
    int[] found = sampler.findBestUsingAnnealing(model, schedule, labels);
    long end = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    out.println((end - begin) / 1e9);
    Arrays.stream(found).forEach(out::println);
  }

  /** The sentences of all documents as one sequence, with agreement of labels. */
  private static class Agreement implements SequenceModel, SequenceListener {
    private final List<CRFCliqueTree<String>> trees;
    private final int background;
    private final int[] treeOf; // by token
    private final int[] starts; // by sentence, its first token; then the number of tokens
    private final int[] cliqueOf; // by token; -1: none
    private final double strength;
    private final int[] sizes; // by clique
    private final int[][] counts; // by clique and label
    private final int[] values;

    Agreement(List<CRFCliqueTree<String>> trees, List<Integer> cliques, double strength) {
      this.trees = trees;
      this.strength = strength;
      background = trees.get(0).backgroundIndex();
      values = trees.get(0).getPossibleValues(0);
      cliqueOf = cliques.stream().mapToInt(Integer::intValue).toArray();
      sizes = new int[Arrays.stream(cliqueOf).max().orElse(-1) + 1];
      Arrays.stream(cliqueOf).filter(clique -> clique >= 0).forEach(clique -> ++sizes[clique]);
      counts = new int[sizes.length][values.length];
      treeOf = new int[cliqueOf.length];
      starts = new int[trees.size() + 1];
      for (int tree = 0; tree < trees.size(); ++tree) {
        starts[tree + 1] = starts[tree] + trees.get(tree).length();
        Arrays.fill(treeOf, starts[tree], starts[tree + 1], tree);
      }
    }

    @Override
    public double[] scoresOf(int[] labels, int token) {
      int tree = treeOf[token];
      int[] sentence = Arrays.copyOfRange(labels, starts[tree], starts[tree + 1]);
      double[] scores = trees.get(tree).scoresOf(sentence, token - starts[tree]);
      int clique = cliqueOf[token];
      if (clique >= 0) {
        for (int label = 0; label < scores.length; ++label) {
          int others = counts[clique][label] - (labels[token] == label ? 1 : 0);
          scores[label] += label == background ? 0 : strength / sizes[clique] * (2 * others + 1);
        }
      }
      return scores;
    }

    @Override
    public void setInitialSequence(int[] labels) {
      for (int[] row : counts) {
        Arrays.fill(row, 0);
      }
      for (int token = 0; token < labels.length; ++token) {
        count(token, labels[token], 1);
      }
    }

    @Override
    public void updateSequenceElement(int[] labels, int token, int before) {
      count(token, before, -1);
      count(token, labels[token], 1);
    }

    private void count(int token, int label, int change) {
      if (cliqueOf[token] >= 0) {
        counts[cliqueOf[token]][label] += change;
      }
    }

    @Override
    public double scoreOf(int[] labels, int token) {
      return scoresOf(labels, token)[labels[token]];
    }

    @Override
    public double scoreOf(int[] labels) {
      throw new UnsupportedOperationException(); // the sampler does not ask
    }

    @Override
    public int length() {
      return cliqueOf.length;
    }

    @Override
    public int leftWindow() {
      return length();
    }

    @Override
    public int rightWindow() {
      return length();
    }

    @Override
    public int[] getPossibleValues(int token) {
      return values;
    }
  }
}
