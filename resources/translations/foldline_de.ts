<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
    <context>
        <name>foldline</name>
        <message>
            <source>Open…</source>
            <translation>Öffnen …</translation>
        </message>
        <message>
            <source>Open a transcript.</source>
            <translation>Ein Transkript öffnen.</translation>
        </message>
        <message>
            <source>File</source>
            <translation>Datei</translation>
        </message>
        <message>
            <source>Sessions…</source>
            <translation>Sitzungen …</translation>
        </message>
        <message>
            <source>The sessions that agents left on this machine.</source>
            <translation>Die Sitzungen, die Agenten auf diesem Rechner hinterlassen haben.</translation>
        </message>
        <message>
            <source>Compare with…</source>
            <translation>Vergleichen mit …</translation>
        </message>
        <message>
            <source>Show another file of this session on the after side.</source>
            <translation>Eine andere Datei dieser Sitzung auf der Nachher-Seite zeigen.</translation>
        </message>
        <message>
            <source>Compare a folder…</source>
            <translation>Ordner vergleichen …</translation>
        </message>
        <message>
            <source>Compare strategies over every transcript of a folder.</source>
            <translation>Strategien über alle Transkripte eines Ordners vergleichen.</translation>
        </message>
        <message>
            <source>Read again</source>
            <translation>Neu lesen</translation>
        </message>
        <message>
            <source>Read the file again; settings stay.</source>
            <translation>Die Datei neu lesen; Einstellungen bleiben.</translation>
        </message>
        <message>
            <source>Follow while it grows</source>
            <translation>Folgen, solange sie wächst</translation>
        </message>
        <message>
            <source>Take in what the agent adds to the file; the view stays where it is.</source>
            <translation>Aufnehmen, was der Agent an die Datei anhängt; die Ansicht bleibt, wo sie ist.</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>Schließen</translation>
        </message>
        <message>
            <source>Close the transcript.</source>
            <translation>Das Transkript schließen.</translation>
        </message>
        <message>
            <source>Import report…</source>
            <translation>Importbericht …</translation>
        </message>
        <message>
            <source>What was read, skipped, repaired and warned of.</source>
            <translation>Was gelesen, übersprungen, repariert und bemängelt wurde.</translation>
        </message>
        <message>
            <source>Export…</source>
            <translation>Exportieren …</translation>
        </message>
        <message>
            <source>Write the result or the source to a file.</source>
            <translation>Ergebnis oder Quelle in eine Datei schreiben.</translation>
        </message>
        <message>
            <source>Quit</source>
            <translation>Beenden</translation>
        </message>
        <message>
            <source>Close the window.</source>
            <translation>Das Fenster schließen.</translation>
        </message>
        <message>
            <source>Undo setting</source>
            <translation>Einstellung zurücknehmen</translation>
        </message>
        <message>
            <source>Take back the last change of a setting or a pin.</source>
            <translation>Die letzte Änderung einer Einstellung oder Anheftung zurücknehmen.</translation>
        </message>
        <message>
            <source>Edit</source>
            <translation>Bearbeiten</translation>
        </message>
        <message>
            <source>Find in message…</source>
            <translation>In Nachricht suchen …</translation>
        </message>
        <message>
            <source>Find a text in the message that is shown.</source>
            <translation>Einen Text in der gezeigten Nachricht suchen.</translation>
        </message>
        <message>
            <source>Filter messages…</source>
            <translation>Nachrichten filtern …</translation>
        </message>
        <message>
            <source>Show only messages that a query lets through.</source>
            <translation>Nur Nachrichten zeigen, die eine Abfrage durchlässt.</translation>
        </message>
        <message>
            <source>Copy as JSON</source>
            <translation>Als JSON kopieren</translation>
        </message>
        <message>
            <source>Copy the message as the file has it.</source>
            <translation>Die Nachricht kopieren, wie sie in der Datei steht.</translation>
        </message>
        <message>
            <source>Copy as Markdown</source>
            <translation>Als Markdown kopieren</translation>
        </message>
        <message>
            <source>Copy the message as text with headings for calls and results.</source>
            <translation>Die Nachricht als Text kopieren, mit Überschriften für Aufrufe und Ergebnisse.</translation>
        </message>
        <message>
            <source>Settings…</source>
            <translation>Einstellungen …</translation>
        </message>
        <message>
            <source>All settings, and where they are saved.</source>
            <translation>Alle Einstellungen, und wo sie gespeichert sind.</translation>
        </message>
        <message>
            <source>Profiles…</source>
            <translation>Profile …</translation>
        </message>
        <message>
            <source>Models to call, with their settings.</source>
            <translation>Modelle, die gerufen werden, mit ihren Einstellungen.</translation>
        </message>
        <message>
            <source>Command bar</source>
            <translation>Befehlsleiste</translation>
        </message>
        <message>
            <source>Find an action by name, or type a line.</source>
            <translation>Eine Aktion nach Namen finden oder eine Zeile eingeben.</translation>
        </message>
        <message>
            <source>Inspect</source>
            <translation>Untersuchen</translation>
        </message>
        <message>
            <source>Before and after, message by message.</source>
            <translation>Vorher und nachher, Nachricht für Nachricht.</translation>
        </message>
        <message>
            <source>View</source>
            <translation>Ansicht</translation>
        </message>
        <message>
            <source>Compare</source>
            <translation>Vergleichen</translation>
        </message>
        <message>
            <source>Strategies, presets and recorded compactions side by side.</source>
            <translation>Strategien, Presets und aufgezeichnete Verdichtungen nebeneinander.</translation>
        </message>
        <message>
            <source>Replay</source>
            <translation>Abspielen</translation>
        </message>
        <message>
            <source>The session turn by turn, as each strategy would have had it.</source>
            <translation>Die Sitzung Zug um Zug, wie jede Strategie sie gehabt hätte.</translation>
        </message>
        <message>
            <source>Sweep</source>
            <translation>Reihe</translation>
        </message>
        <message>
            <source>One strategy over a range of one or two settings.</source>
            <translation>Eine Strategie über einen Bereich von einer oder zwei Einstellungen.</translation>
        </message>
        <message>
            <source>Message</source>
            <translation>Nachricht</translation>
        </message>
        <message>
            <source>Show the message.</source>
            <translation>Die Nachricht zeigen.</translation>
        </message>
        <message>
            <source>Why</source>
            <translation>Warum</translation>
        </message>
        <message>
            <source>Show why it has its fate.</source>
            <translation>Zeigen, warum aus ihr wurde, was sie ist.</translation>
        </message>
        <message>
            <source>Fidelity</source>
            <translation>Treue</translation>
        </message>
        <message>
            <source>Show which facts are lost.</source>
            <translation>Zeigen, welche Fakten verloren sind.</translation>
        </message>
        <message>
            <source>Lint</source>
            <translation>Lint</translation>
        </message>
        <message>
            <source>Show what a provider would refuse.</source>
            <translation>Zeigen, was ein Anbieter ablehnen würde.</translation>
        </message>
        <message>
            <source>Next area</source>
            <translation>Nächster Bereich</translation>
        </message>
        <message>
            <source>Move the keyboard to the next area.</source>
            <translation>Mit der Tastatur zum nächsten Bereich gehen.</translation>
        </message>
        <message>
            <source>Move panels</source>
            <translation>Leisten verschieben</translation>
        </message>
        <message>
            <source>Show title bars by which tuning and inspector are moved.</source>
            <translation>Titelleisten zeigen, an denen sich Abstimmung und Inspektor verschieben lassen.</translation>
        </message>
        <message>
            <source>Larger text</source>
            <translation>Größere Schrift</translation>
        </message>
        <message>
            <source>Make text larger.</source>
            <translation>Die Schrift vergrößern.</translation>
        </message>
        <message>
            <source>Smaller text</source>
            <translation>Kleinere Schrift</translation>
        </message>
        <message>
            <source>Make text smaller.</source>
            <translation>Die Schrift verkleinern.</translation>
        </message>
        <message>
            <source>Natural text size</source>
            <translation>Natürliche Schriftgröße</translation>
        </message>
        <message>
            <source>Text at its own size.</source>
            <translation>Die Schrift in ihrer eigenen Größe.</translation>
        </message>
        <message>
            <source>Follow the system</source>
            <translation>Wie das System</translation>
        </message>
        <message>
            <source>Light or dark as the desktop is.</source>
            <translation>Hell oder dunkel, wie der Desktop ist.</translation>
        </message>
        <message>
            <source>Theme</source>
            <translation>Farbschema</translation>
        </message>
        <message>
            <source>Light</source>
            <translation>Hell</translation>
        </message>
        <message>
            <source>Light theme.</source>
            <translation>Helles Farbschema.</translation>
        </message>
        <message>
            <source>Dark</source>
            <translation>Dunkel</translation>
        </message>
        <message>
            <source>Dark theme.</source>
            <translation>Dunkles Farbschema.</translation>
        </message>
        <message>
            <source>High contrast</source>
            <translation>Hoher Kontrast</translation>
        </message>
        <message>
            <source>Black on white, strong lines.</source>
            <translation>Schwarz auf Weiß, kräftige Linien.</translation>
        </message>
        <message>
            <source>As the system</source>
            <translation>Wie das System</translation>
        </message>
        <message>
            <source>The language of the desktop, where the window speaks it.</source>
            <translation>Die Sprache des Desktops, soweit das Fenster sie spricht.</translation>
        </message>
        <message>
            <source>Language</source>
            <translation>Sprache</translation>
        </message>
        <message>
            <source>English</source>
            <translation>English</translation>
        </message>
        <message>
            <source>The window in English.</source>
            <translation>Das Fenster auf Englisch.</translation>
        </message>
        <message>
            <source>Deutsch</source>
            <translation>Deutsch</translation>
        </message>
        <message>
            <source>The window in German.</source>
            <translation>Das Fenster auf Deutsch.</translation>
        </message>
        <message>
            <source>Go to message…</source>
            <translation>Gehe zu Nachricht …</translation>
        </message>
        <message>
            <source>Go to a message by its number.</source>
            <translation>Zu einer Nachricht nach ihrer Nummer gehen.</translation>
        </message>
        <message>
            <source>Conversation</source>
            <translation>Gespräch</translation>
        </message>
        <message>
            <source>Next change</source>
            <translation>Nächste Änderung</translation>
        </message>
        <message>
            <source>Go to the next messages that are not kept.</source>
            <translation>Zu den nächsten Nachrichten gehen, die nicht behalten werden.</translation>
        </message>
        <message>
            <source>Previous change</source>
            <translation>Vorige Änderung</translation>
        </message>
        <message>
            <source>Go to the previous messages that are not kept.</source>
            <translation>Zu den vorigen Nachrichten gehen, die nicht behalten werden.</translation>
        </message>
        <message>
            <source>Mark</source>
            <translation>Markieren</translation>
        </message>
        <message>
            <source>Mark the message, or take its mark away; marks are remembered.</source>
            <translation>Die Nachricht markieren oder die Markierung entfernen; Markierungen bleiben erhalten.</translation>
        </message>
        <message>
            <source>Pin: keep</source>
            <translation>Anheften: behalten</translation>
        </message>
        <message>
            <source>Keep the message whole, whatever the strategy does; again takes the pin off.</source>
            <translation>Die Nachricht ganz behalten, was immer die Strategie tut; noch einmal löst die Anheftung.</translation>
        </message>
        <message>
            <source>Pin all constraints</source>
            <translation>Alle Vorgaben anheften</translation>
        </message>
        <message>
            <source>Pin every message in which the person gave a rule, so that it stays whole.</source>
            <translation>Jede Nachricht anheften, in der die Person eine Regel gab, damit sie ganz bleibt.</translation>
        </message>
        <message>
            <source>Pin: drop</source>
            <translation>Anheften: verwerfen</translation>
        </message>
        <message>
            <source>Drop the message first; again takes the pin off.</source>
            <translation>Die Nachricht zuerst verwerfen; noch einmal löst die Anheftung.</translation>
        </message>
        <message>
            <source>Note …</source>
            <translation>Notiz …</translation>
        </message>
        <message>
            <source>Write a note on the message, kept beside its marks and pins.</source>
            <translation>Eine Notiz zur Nachricht schreiben; sie bleibt bei Markierungen und Anheftungen.</translation>
        </message>
        <message>
            <source>Next mark</source>
            <translation>Nächste Markierung</translation>
        </message>
        <message>
            <source>Go to the next mark.</source>
            <translation>Zur nächsten Markierung gehen.</translation>
        </message>
        <message>
            <source>Previous mark</source>
            <translation>Vorige Markierung</translation>
        </message>
        <message>
            <source>Go to the previous mark.</source>
            <translation>Zur vorigen Markierung gehen.</translation>
        </message>
        <message>
            <source>Filter by this tool</source>
            <translation>Nach diesem Tool filtern</translation>
        </message>
        <message>
            <source>Show only calls of this message's tool and their results.</source>
            <translation>Nur Aufrufe des Tools dieser Nachricht und deren Ergebnisse zeigen.</translation>
        </message>
        <message>
            <source>Conversations of the file…</source>
            <translation>Gespräche der Datei …</translation>
        </message>
        <message>
            <source>Open another conversation of this file, or a sub-agent's.</source>
            <translation>Ein anderes Gespräch dieser Datei oder das eines Unteragenten öffnen.</translation>
        </message>
        <message>
            <source>Branches…</source>
            <translation>Zweige …</translation>
        </message>
        <message>
            <source>Read a session that forks along another branch.</source>
            <translation>Eine Sitzung, die sich verzweigt, entlang eines anderen Zweigs lesen.</translation>
        </message>
        <message>
            <source>Previous pair partner</source>
            <translation>Voriger Partner des Paars</translation>
        </message>
        <message>
            <source>Go to the call of this result.</source>
            <translation>Zum Aufruf dieses Ergebnisses gehen.</translation>
        </message>
        <message>
            <source>Next pair partner</source>
            <translation>Nächster Partner des Paars</translation>
        </message>
        <message>
            <source>Go to the result of this call.</source>
            <translation>Zum Ergebnis dieses Aufrufs gehen.</translation>
        </message>
        <message>
            <source>Other end of the ribbon</source>
            <translation>Anderes Ende des Bands</translation>
        </message>
        <message>
            <source>Go to where this message went, or came from.</source>
            <translation>Dorthin gehen, wohin diese Nachricht ging oder woher sie kam.</translation>
        </message>
        <message>
            <source>Put back</source>
            <translation>Zurückholen</translation>
        </message>
        <message>
            <source>Let the message stand in the result as it was, or compacted again.</source>
            <translation>Die Nachricht im Ergebnis stehen lassen, wie sie war, oder wieder verdichtet.</translation>
        </message>
        <message>
            <source>Compact</source>
            <translation>Verdichten</translation>
        </message>
        <message>
            <source>Turn the preview into a run.</source>
            <translation>Aus der Vorschau einen Lauf machen.</translation>
        </message>
        <message>
            <source>Compaction</source>
            <translation>Verdichtung</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>Abbrechen</translation>
        </message>
        <message>
            <source>Stop what is going on.</source>
            <translation>Anhalten, was gerade läuft.</translation>
        </message>
        <message>
            <source>How it went</source>
            <translation>Wie es lief</translation>
        </message>
        <message>
            <source>Tiers, counters, calls and tools of the run that is shown.</source>
            <translation>Stufen, Zähler, Aufrufe und Tools des gezeigten Laufs.</translation>
        </message>
        <message>
            <source>Keep run as…</source>
            <translation>Lauf behalten als …</translation>
        </message>
        <message>
            <source>Keep a run under a name.</source>
            <translation>Einen Lauf unter einem Namen behalten.</translation>
        </message>
        <message>
            <source>Compare runs…</source>
            <translation>Läufe vergleichen …</translation>
        </message>
        <message>
            <source>Show two runs as before and after of each other.</source>
            <translation>Zwei Läufe als Vorher und Nachher zeigen.</translation>
        </message>
        <message>
            <source>Prompts…</source>
            <translation>Prompts …</translation>
        </message>
        <message>
            <source>Read and change the prompts that ask for a summary.</source>
            <translation>Die Prompts lesen und ändern, die um eine Zusammenfassung bitten.</translation>
        </message>
        <message>
            <source>Help</source>
            <translation>Hilfe</translation>
        </message>
        <message>
            <source>Read and search all pages of the help.</source>
            <translation>Alle Seiten der Hilfe lesen und durchsuchen.</translation>
        </message>
        <message>
            <source>Keys</source>
            <translation>Tasten</translation>
        </message>
        <message>
            <source>All keys in one list.</source>
            <translation>Alle Tasten in einer Liste.</translation>
        </message>
        <message>
            <source>About Foldline</source>
            <translation>Über Foldline</translation>
        </message>
        <message>
            <source>Version and licence.</source>
            <translation>Version und Lizenz.</translation>
        </message>
        <message>
            <source>Strategy</source>
            <translation>Strategie</translation>
        </message>
        <message>
            <source>The rule that turns the history into a shorter one.</source>
            <translation>Die Regel, die aus dem Verlauf einen kürzeren macht.</translation>
        </message>
        <message>
            <source>Chat compression</source>
            <translation>Verdichtung des Gesprächs</translation>
        </message>
        <message>
            <source>Profile</source>
            <translation>Profil</translation>
        </message>
        <message>
            <source>The profile that writes the summary; without a value the active one does.</source>
            <translation>Das Profil, das die Zusammenfassung schreibt; ohne Wert das aktive.</translation>
        </message>
        <message>
            <source>Mode</source>
            <translation>Modus</translation>
        </message>
        <message>
            <source>Safe never separates a call from its response; reference repeats llxprt, faults included.</source>
            <translation>Safe trennt nie einen Aufruf von seiner Antwort; reference wiederholt llxprt samt Fehlern.</translation>
        </message>
        <message>
            <source>Threshold</source>
            <translation>Schwelle</translation>
        </message>
        <message>
            <source>Share of the context limit at which compression runs; without a value the strategy's own.</source>
            <translation>Anteil am Kontextlimit, bei dem die Verdichtung läuft; ohne Wert der eigene der Strategie.</translation>
        </message>
        <message>
            <source>Trigger</source>
            <translation>Auslöser</translation>
        </message>
        <message>
            <source>Keep bottom</source>
            <translation>Unten behalten</translation>
        </message>
        <message>
            <source>Share of the messages, counted from the newest, that stays word for word.</source>
            <translation>Anteil der Nachrichten, von der neuesten an gezählt, der wörtlich bleibt.</translation>
        </message>
        <message>
            <source>Split</source>
            <translation>Teilung</translation>
        </message>
        <message>
            <source>Keep top</source>
            <translation>Oben behalten</translation>
        </message>
        <message>
            <source>Share of the messages, counted from the oldest, that stays word for word.</source>
            <translation>Anteil der Nachrichten, von der ältesten an gezählt, der wörtlich bleibt.</translation>
        </message>
        <message>
            <source>Context limit</source>
            <translation>Kontextlimit</translation>
        </message>
        <message>
            <source>Size of the model's window; without a value it is looked up by the model's name.</source>
            <translation>Größe des Modellfensters; ohne Wert wird sie nach dem Namen des Modells nachgeschlagen.</translation>
        </message>
        <message>
            <source>tokens</source>
            <translation>Token</translation>
        </message>
        <message>
            <source>Budget</source>
            <translation>Budget</translation>
        </message>
        <message>
            <source>Most tokens a summary may have; 0 means a quarter of what it replaces, at most 4,000.</source>
            <translation>So viele Token darf eine Zusammenfassung höchstens haben; 0 heißt ein Viertel dessen, was sie ersetzt, höchstens 4,000.</translation>
        </message>
        <message>
            <source>Summary</source>
            <translation>Zusammenfassung</translation>
        </message>
        <message>
            <source>Retries</source>
            <translation>Wiederholungen</translation>
        </message>
        <message>
            <source>How often a call that failed for a passing reason is made again; 0 means never.</source>
            <translation>Wie oft ein Aufruf wiederholt wird, der aus vorübergehendem Grund scheiterte; 0 heißt nie.</translation>
        </message>
        <message>
            <source>retries</source>
            <translation>Wiederholungen</translation>
        </message>
        <message>
            <source>Compact by itself</source>
            <translation>Von selbst verdichten</translation>
        </message>
        <message>
            <source>Lets an agent compact at the trigger; without it the agent only warns.</source>
            <translation>Lässt einen Agenten am Auslöser verdichten; sonst warnt er nur.</translation>
        </message>
        <message>
            <source>Warning</source>
            <translation>Warnung</translation>
        </message>
        <message>
            <source>Share of the context limit from which the size of the context is warned of.</source>
            <translation>Anteil am Kontextlimit, ab dem vor der Größe des Kontexts gewarnt wird.</translation>
        </message>
        <message>
            <source>Read-write pruning</source>
            <translation>Lesen-Schreiben stutzen</translation>
        </message>
        <message>
            <source>Removes a file read that a later, successful write of the same file made stale.</source>
            <translation>Entfernt das Lesen einer Datei, das ein späteres, erfolgreiches Schreiben derselben Datei überholt hat.</translation>
        </message>
        <message>
            <source>Density</source>
            <translation>Dichte</translation>
        </message>
        <message>
            <source>File dedupe</source>
            <translation>Doppelte Dateien</translation>
        </message>
        <message>
            <source>Removes older inclusions of a file in human messages and keeps the newest.</source>
            <translation>Entfernt ältere Einfügungen einer Datei in Nachrichten der Person und behält die neueste.</translation>
        </message>
        <message>
            <source>Recency pruning</source>
            <translation>Nach Alter stutzen</translation>
        </message>
        <message>
            <source>Replaces older results of each tool by a pointer and keeps the newest.</source>
            <translation>Ersetzt ältere Ergebnisse jedes Tools durch einen Verweis und behält die neuesten.</translation>
        </message>
        <message>
            <source>Newest per tool</source>
            <translation>Neueste je Tool</translation>
        </message>
        <message>
            <source>How many results of each tool recency pruning keeps.</source>
            <translation>Wie viele Ergebnisse je Tool das Stutzen nach Alter behält.</translation>
        </message>
        <message>
            <source>results</source>
            <translation>Ergebnisse</translation>
        </message>
        <message>
            <source>Headroom</source>
            <translation>Spielraum</translation>
        </message>
        <message>
            <source>Share of threshold × limit that high-density aims for.</source>
            <translation>Anteil an Schwelle × Limit, den high-density anstrebt.</translation>
        </message>
        <message>
            <source>Prune from</source>
            <translation>Stutzen ab</translation>
        </message>
        <message>
            <source>Share of the context limit below which an agent leaves density alone; 0 means every turn.</source>
            <translation>Anteil am Kontextlimit, unter dem ein Agent die Dichte ruhen lässt; 0 heißt bei jedem Zug.</translation>
        </message>
        <message>
            <source>Summary model</source>
            <translation>Modell der Zusammenfassung</translation>
        </message>
        <message>
            <source>The model that tiered asks for its summary; empty: the cheap one that the provider is known for.</source>
            <translation>Das Modell, das tiered um die Zusammenfassung bittet; leer: das günstige, für das der Anbieter bekannt ist.</translation>
        </message>
        <message>
            <source>Tiers</source>
            <translation>Stufen</translation>
        </message>
        <message>
            <source>Target</source>
            <translation>Ziel</translation>
        </message>
        <message>
            <source>Share of the room at which tiered stops: of the limit without the output reserve.</source>
            <translation>Anteil am Raum, bei dem tiered aufhört: am Limit ohne die Ausgabereserve.</translation>
        </message>
        <message>
            <source>Protected</source>
            <translation>Geschützt</translation>
        </message>
        <message>
            <source>How many of the newest messages tiers 2 and 3 leave alone; a run of tool messages counts as one.</source>
            <translation>Wie viele der neuesten Nachrichten die Stufen 2 und 3 in Ruhe lassen; Tool-Nachrichten in Folge zählen als eine.</translation>
        </message>
        <message>
            <source>messages</source>
            <translation>Nachrichten</translation>
        </message>
        <message>
            <source>Longest output</source>
            <translation>Längste Ausgabe</translation>
        </message>
        <message>
            <source>Tool results with more tokens than this are cut by tier 1.</source>
            <translation>Tool-Ergebnisse mit mehr Token kürzt Stufe 1.</translation>
        </message>
        <message>
            <source>Kept ends</source>
            <translation>Behaltene Enden</translation>
        </message>
        <message>
            <source>What tier 1 keeps at each end of a long tool result; a line counts as ten tokens.</source>
            <translation>Was Stufe 1 an jedem Ende eines langen Tool-Ergebnisses behält; eine Zeile zählt zehn Token.</translation>
        </message>
        <message>
            <source>Output reserve</source>
            <translation>Ausgabereserve</translation>
        </message>
        <message>
            <source>Tokens of the limit left for the answer; trigger and target of tiered are shares of the rest.</source>
            <translation>Token des Limits, die für die Antwort frei bleiben; Auslöser und Ziel von tiered sind Anteile am Rest.</translation>
        </message>
        <message>
            <source>Role</source>
            <translation>Rolle</translation>
        </message>
        <message>
            <source>Who speaks the summary of tiered; an API without that role gets another one at export.</source>
            <translation>Wer die Zusammenfassung von tiered spricht; eine API ohne diese Rolle bekommt beim Export eine andere.</translation>
        </message>
        <message>
            <source>Hybrid mode</source>
            <translation>Hybrid-Modus</translation>
        </message>
        <message>
            <source>Direct works message by message; agent lets a model do it with four tools.</source>
            <translation>Direct arbeitet Nachricht für Nachricht; agent überlässt es einem Modell mit vier Tools.</translation>
        </message>
        <message>
            <source>Hybrid</source>
            <translation>Hybrid</translation>
        </message>
        <message>
            <source>Hybrid target</source>
            <translation>Hybrid-Ziel</translation>
        </message>
        <message>
            <source>Share of the context limit at which hybrid stops.</source>
            <translation>Anteil am Kontextlimit, bei dem hybrid aufhört.</translation>
        </message>
        <message>
            <source>Protected talk</source>
            <translation>Geschütztes Gespräch</translation>
        </message>
        <message>
            <source>How many of the newest human and ai messages with text hybrid leaves alone.</source>
            <translation>Wie viele der neuesten Nachrichten von Person und KI mit Text hybrid in Ruhe lässt.</translation>
        </message>
        <message>
            <source>Least messages</source>
            <translation>Mindestzahl</translation>
        </message>
        <message>
            <source>Hybrid leaves histories with fewer messages alone.</source>
            <translation>Hybrid lässt Verläufe mit weniger Nachrichten in Ruhe.</translation>
        </message>
        <message>
            <source>Human message</source>
            <translation>Nachricht der Person</translation>
        </message>
        <message>
            <source>Most tokens that a compressed human message may have.</source>
            <translation>So viele Token darf eine verdichtete Nachricht der Person höchstens haben.</translation>
        </message>
        <message>
            <source>AI message</source>
            <translation>Nachricht der KI</translation>
        </message>
        <message>
            <source>Most tokens that a compressed ai message may have.</source>
            <translation>So viele Token darf eine verdichtete Nachricht der KI höchstens haben.</translation>
        </message>
        <message>
            <source>Other tools</source>
            <translation>Andere Tools</translation>
        </message>
        <message>
            <source>What stays of results of tools that neither read nor write files: one line, half of it, or all.</source>
            <translation>Was von Ergebnissen von Tools bleibt, die Dateien weder lesen noch schreiben: eine Zeile, die Hälfte oder alles.</translation>
        </message>
        <message>
            <source>On failure</source>
            <translation>Bei Misserfolg</translation>
        </message>
        <message>
            <source>What becomes of a message whose summary failed: it stays whole, or its start stays.</source>
            <translation>Was aus einer Nachricht wird, deren Zusammenfassung scheiterte: sie bleibt ganz, oder ihr Anfang bleibt.</translation>
        </message>
        <message>
            <source>Batch</source>
            <translation>Stapel</translation>
        </message>
        <message>
            <source>Asks for several messages in one call of the model instead of one call for each.</source>
            <translation>Fragt in einem Aufruf des Modells nach mehreren Nachrichten statt in je einem.</translation>
        </message>
        <message>
            <source>Prose</source>
            <translation>Prosa</translation>
        </message>
        <message>
            <source>Lets a model add why things were decided and what comes next to the snapshot of pinned-hybrid.</source>
            <translation>Lässt ein Modell dem Stand von pinned-hybrid hinzufügen, warum entschieden wurde und was als Nächstes kommt.</translation>
        </message>
        <message>
            <source>Keeps the oldest and the newest messages word for word and summarises what lies between.</source>
            <translation>Behält die ältesten und die neuesten Nachrichten wörtlich und fasst zusammen, was dazwischen liegt.</translation>
        </message>
        <message>
            <source>Drops the oldest messages until the rest is under the target; no model, no summary.</source>
            <translation>Verwirft die ältesten Nachrichten, bis der Rest unter dem Ziel liegt; kein Modell, keine Zusammenfassung.</translation>
        </message>
        <message>
            <source>Summarises everything but the newest messages; nothing at the top stays.</source>
            <translation>Fasst alles außer den neuesten Nachrichten zusammen; oben bleibt nichts.</translation>
        </message>
        <message>
            <source>Prunes stale reads and repeated files on every turn; at the trigger older tool results become one line.</source>
            <translation>Stutzt bei jedem Zug überholtes Lesen und wiederholte Dateien; am Auslöser werden ältere Tool-Ergebnisse zu einer Zeile.</translation>
        </message>
        <message>
            <source>Cuts long tool outputs, then removes old ones, then summarises what is old, and stops at its target.</source>
            <translation>Kürzt lange Tool-Ausgaben, entfernt dann alte, fasst dann Altes zusammen und hört am Ziel auf.</translation>
        </message>
        <message>
            <source>Turns tool results into metadata and summarises old messages one by one; the newest talk stays.</source>
            <translation>Macht aus Tool-Ergebnissen Metadaten und fasst alte Nachrichten einzeln zusammen; das neueste Gespräch bleibt.</translation>
        </message>
        <message>
            <source>Retires old reads, masks old output, folds the rest into its facts; rules and pins stay word for word.</source>
            <translation>Legt altes Lesen ab, verdeckt alte Ausgaben, faltet den Rest in seine Fakten; Regeln und Anheftungen bleiben wörtlich.</translation>
        </message>
        <message>
            <source>Changes nothing: the baseline that the others are compared with.</source>
            <translation>Ändert nichts: der Maßstab, mit dem die anderen verglichen werden.</translation>
        </message>
        <message>
            <source>As Claude Code compacts: everything becomes one summary in nine sections, then the files in use and the open tasks come back.</source>
            <translation>Wie Claude Code verdichtet: Alles wird eine Zusammenfassung in neun Abschnitten, dann kommen die benutzten Dateien und offenen Aufgaben zurück.</translation>
        </message>
        <message>
            <source>Clears all but the 5 newest results of the common tools; the agent does so after a pause.</source>
            <translation>Leert alle außer den 5 neuesten Ergebnissen der üblichen Tools; der Agent tut es nach einer Pause.</translation>
        </message>
        <message>
            <source>As Codex compacts by itself: the newest words of the person stay up to 20,000 tokens, all else becomes a handoff note after them.</source>
            <translation>Wie Codex von selbst verdichtet: Die neuesten Worte der Person bleiben bis 20,000 Token, alles andere wird danach eine Übergabenotiz.</translation>
        </message>
        <message>
            <source>As Gemini CLI compresses: the newest 30 % of the characters stay, the rest becomes a state snapshot that a second call checks.</source>
            <translation>Wie Gemini CLI verdichtet: Die neuesten 30 % der Zeichen bleiben, der Rest wird ein Zustandsbild, das ein zweiter Aufruf prüft.</translation>
        </message>
        <message>
            <source>Leaves 250 characters at both ends of older tool output, once 30,000 tokens of it are there.</source>
            <translation>Lässt 250 Zeichen an beiden Enden älterer Tool-Ausgaben, sobald es 30,000 Token davon gibt.</translation>
        </message>
        <message>
            <source>Clears tool output beyond the newest 40,000 tokens, once 20,000 tokens of it are there.</source>
            <translation>Leert Tool-Ausgaben jenseits der neuesten 40,000 Token, sobald es 20,000 Token davon gibt.</translation>
        </message>
        <message>
            <source>As opencode 2 compacts: one checkpoint message holds a summary under headings and the newest exchanges as text, from a message of the person.</source>
            <translation>Wie opencode 2 verdichtet: Eine Nachricht hält eine Zusammenfassung unter Überschriften und die neuesten Wechsel als Text, ab einer Nachricht der Person.</translation>
        </message>
        <message>
            <source>Clears the results of tools but for the 3 newest.</source>
            <translation>Leert die Ergebnisse von Tools bis auf die 3 neuesten.</translation>
        </message>
        <message>
            <source>Drops older work; what a person typed and the last 3 texts of the model stay.</source>
            <translation>Verwirft ältere Arbeit; was eine Person tippte und die letzten 3 Texte des Modells bleiben.</translation>
        </message>
        <message>
            <source>As goose compacts: everything becomes one summary, whose request loses results of tools from the middle until it fits; the newest words of the person follow.</source>
            <translation>Wie goose verdichtet: Alles wird eine Zusammenfassung, deren Anfrage von der Mitte her Tool-Ergebnisse verliert, bis sie passt; die neuesten Worte der Person folgen.</translation>
        </message>
        <message>
            <source>As Pi compacts: the newest 20,000 tokens stay, the rest becomes a checkpoint with lists of the files read and changed.</source>
            <translation>Wie Pi verdichtet: Die neuesten 20,000 Token bleiben, der Rest wird ein Haltepunkt mit Listen der gelesenen und geänderten Dateien.</translation>
        </message>
        <message>
            <source>As OpenHands condenses: the first two messages and the newest stay so that half remain, the middle becomes a state under ten headings.</source>
            <translation>Wie OpenHands verdichtet: Die ersten zwei und die neuesten Nachrichten bleiben, sodass die Hälfte übrig ist; die Mitte wird ein Stand unter zehn Überschriften.</translation>
        </message>
        <message>
            <source>Puts one line with its length in place of every result of a tool but the 10 newest.</source>
            <translation>Setzt an die Stelle jedes Tool-Ergebnisses außer den 10 neuesten eine Zeile mit seiner Länge.</translation>
        </message>
        <message>
            <source>As LangChain's summarization middleware: the newest 20 messages stay, and of the rest only the newest 4,000 tokens are read for the summary.</source>
            <translation>Wie LangChains Middleware zum Zusammenfassen: Die neuesten 20 Nachrichten bleiben, und vom Rest werden nur die neuesten 4,000 Token für die Zusammenfassung gelesen.</translation>
        </message>
        <message>
            <source>Claude Code</source>
            <translation>Claude Code</translation>
        </message>
        <message>
            <source>A session of Claude Code: the surviving lines as they were, with lines for what is new.</source>
            <translation>Eine Sitzung von Claude Code: die überlebenden Zeilen, wie sie waren, mit Zeilen für Neues.</translation>
        </message>
        <message>
            <source>Transcript</source>
            <translation>Transkript</translation>
        </message>
        <message>
            <source>OpenAI chat</source>
            <translation>OpenAI chat</translation>
        </message>
        <message>
            <source>A request for OpenAI's chat API: messages with the system prompt in front, and tools.</source>
            <translation>Eine Anfrage für OpenAIs Chat-API: Nachrichten mit dem System-Prompt davor, und Tools.</translation>
        </message>
        <message>
            <source>Anthropic messages</source>
            <translation>Anthropic messages</translation>
        </message>
        <message>
            <source>A request for Anthropic's messages API: system, tools and messages.</source>
            <translation>Eine Anfrage für Anthropics Messages-API: System, Tools und Nachrichten.</translation>
        </message>
        <message>
            <source>Gemini contents</source>
            <translation>Gemini contents</translation>
        </message>
        <message>
            <source>A request for the Gemini API: systemInstruction, contents and tools.</source>
            <translation>Eine Anfrage für die Gemini-API: systemInstruction, contents und tools.</translation>
        </message>
        <message>
            <source>Gemini CLI</source>
            <translation>Gemini CLI</translation>
        </message>
        <message>
            <source>A session of Gemini CLI: the surviving records as they were, with records for what is new.</source>
            <translation>Eine Sitzung von Gemini CLI: die überlebenden Einträge, wie sie waren, mit Einträgen für Neues.</translation>
        </message>
        <message>
            <source>llxprt JSON</source>
            <translation>llxprt JSON</translation>
        </message>
        <message>
            <source>History entries of llxprt-code (speaker and blocks), or its recording where the source is one.</source>
            <translation>Verlaufseinträge von llxprt-code (Sprecher und Blöcke), oder seine Aufzeichnung, wo die Quelle eine ist.</translation>
        </message>
        <message>
            <source>OpenAI Responses</source>
            <translation>OpenAI Responses</translation>
        </message>
        <message>
            <source>A request for OpenAI's Responses API: instructions, input items and tools.</source>
            <translation>Eine Anfrage für OpenAIs Responses-API: Anweisungen, Eingaben und Tools.</translation>
        </message>
        <message>
            <source>Codex</source>
            <translation>Codex</translation>
        </message>
        <message>
            <source>A rollout of the Codex CLI: the surviving lines as they were, with lines for what is new.</source>
            <translation>Ein Rollout der Codex CLI: die überlebenden Zeilen, wie sie waren, mit Zeilen für Neues.</translation>
        </message>
        <message>
            <source>Pi</source>
            <translation>Pi</translation>
        </message>
        <message>
            <source>A session of Pi: the surviving entries as they were, chained anew, with entries for what is new.</source>
            <translation>Eine Sitzung von Pi: die überlebenden Einträge, wie sie waren, neu verkettet, mit Einträgen für Neues.</translation>
        </message>
        <message>
            <source>ShareGPT</source>
            <translation>ShareGPT</translation>
        </message>
        <message>
            <source>A dataset of one conversation of from and value, or the source's dataset with it changed.</source>
            <translation>Ein Datensatz mit einem Gespräch aus from und value, oder der Datensatz der Quelle mit dem geänderten Gespräch.</translation>
        </message>
        <message>
            <source>SWE-agent</source>
            <translation>SWE-agent</translation>
        </message>
        <message>
            <source>A trajectory of SWE-agent: its history, and the steps whose actions are still in it.</source>
            <translation>Eine Trajektorie von SWE-agent: ihr Verlauf und die Schritte, deren Aktionen noch darin sind.</translation>
        </message>
        <message>
            <source>OpenHands</source>
            <translation>OpenHands</translation>
        </message>
        <message>
            <source>Events of OpenHands: the surviving ones as they were, with message events for what is new.</source>
            <translation>Ereignisse von OpenHands: die überlebenden, wie sie waren, mit Nachrichten für Neues.</translation>
        </message>
        <message>
            <source>Markdown</source>
            <translation>Markdown</translation>
        </message>
        <message>
            <source>The conversation as text with headings, for people to read.</source>
            <translation>Das Gespräch als Text mit Überschriften, zum Lesen.</translation>
        </message>
        <message>
            <source>HTML report</source>
            <translation>HTML-Bericht</translation>
        </message>
        <message>
            <source>A page for the browser: ruler, fates with reasons, settings, lint and every message.</source>
            <translation>Eine Seite für den Browser: Lineal, Verbleib mit Gründen, Einstellungen, Lint und jede Nachricht.</translation>
        </message>
        <message>
            <source>Reports</source>
            <translation>Berichte</translation>
        </message>
        <message>
            <source>CSV</source>
            <translation>CSV</translation>
        </message>
        <message>
            <source>A table with a row per source message: fate, rule, reason, tokens and its first words.</source>
            <translation>Eine Tabelle mit einer Zeile je Quellnachricht: Verbleib, Regel, Grund, Token und ihre ersten Worte.</translation>
        </message>
        <message>
            <source>Summary request, JSON</source>
            <translation>Anfrage der Zusammenfassung, JSON</translation>
        </message>
        <message>
            <source>The exact request for the summary, in the form of the chat API.</source>
            <translation>Die genaue Anfrage der Zusammenfassung, in der Form der Chat-API.</translation>
        </message>
        <message>
            <source>Summary request, text</source>
            <translation>Anfrage der Zusammenfassung, Text</translation>
        </message>
        <message>
            <source>The exact request for the summary, for people to read.</source>
            <translation>Die genaue Anfrage der Zusammenfassung, zum Lesen.</translation>
        </message>
        <message>
            <source>Command line</source>
            <translation>Befehlszeile</translation>
        </message>
        <message>
            <source>The settings as the command that repeats the compaction.</source>
            <translation>Die Einstellungen als der Befehl, der die Verdichtung wiederholt.</translation>
        </message>
        <message>
            <source>Golden case</source>
            <translation>Golden Case</translation>
        </message>
        <message>
            <source>History, settings and outcome of a strategy, for a test that runs it again.</source>
            <translation>Verlauf, Einstellungen und Ergebnis einer Strategie, für einen Test, der sie wieder laufen lässt.</translation>
        </message>
        <message>
            <source>kept</source>
            <translation>behalten</translation>
        </message>
        <message>
            <source>edited</source>
            <translation>bearbeitet</translation>
        </message>
        <message>
            <source>pruned</source>
            <translation>gestutzt</translation>
        </message>
        <message>
            <source>summarised</source>
            <translation>zusammengefasst</translation>
        </message>
        <message>
            <source>dropped</source>
            <translation>verworfen</translation>
        </message>
        <message>
            <source>inserted</source>
            <translation>eingefügt</translation>
        </message>
        <message>
            <source>strategy</source>
            <translation>Strategie</translation>
        </message>
        <message>
            <source>tokens after</source>
            <translation>Token nachher</translation>
        </message>
        <message>
            <source>saved</source>
            <translation>gespart</translation>
        </message>
        <message>
            <source>fidelity</source>
            <translation>Treue</translation>
        </message>
        <message>
            <source>constraints</source>
            <translation>Vorgaben</translation>
        </message>
        <message>
            <source>files</source>
            <translation>Dateien</translation>
        </message>
        <message>
            <source>errors</source>
            <translation>Fehler</translation>
        </message>
        <message>
            <source>later needs</source>
            <translation>Bedarf später</translation>
        </message>
        <message>
            <source>prefix kept</source>
            <translation>Präfix behalten</translation>
        </message>
        <message>
            <source>model calls</source>
            <translation>Modellaufrufe</translation>
        </message>
        <message>
            <source>cost</source>
            <translation>Kosten</translation>
        </message>
        <message>
            <source>pays back after</source>
            <translation>lohnt sich nach</translation>
        </message>
        <message>
            <source>lint</source>
            <translation>Lint</translation>
        </message>
        <message>
            <source>time</source>
            <translation>Zeit</translation>
        </message>
        <message>
            <source>tokens at turn</source>
            <translation>Token beim Zug</translation>
        </message>
        <message>
            <source>compactions</source>
            <translation>Verdichtungen</translation>
        </message>
        <message>
            <source>tokens sent</source>
            <translation>Token gesendet</translation>
        </message>
        <message>
            <source>rewritten in cache</source>
            <translation>neu im Cache</translation>
        </message>
        <message>
            <source>turns over limit</source>
            <translation>Züge über Limit</translation>
        </message>
        <message>
            <source>first prompt</source>
            <translation>erster Prompt</translation>
        </message>
        <message>
            <source>project</source>
            <translation>Projekt</translation>
        </message>
        <message>
            <source>agent</source>
            <translation>Agent</translation>
        </message>
        <message>
            <source>changed</source>
            <translation>geändert</translation>
        </message>
        <message>
            <source>size</source>
            <translation>Größe</translation>
        </message>
        <message>
            <source>recorded</source>
            <translation>aufgezeichnet</translation>
        </message>
        <message>
            <source>[ctx]</source>
            <translation>[ctx]</translation>
        </message>
        <message>
            <source>oldest</source>
            <translation>älteste</translation>
        </message>
        <message>
            <source>rest</source>
            <translation>Rest</translation>
        </message>
        <message>
            <source>older</source>
            <translation>älter</translation>
        </message>
        <message>
            <source>protected</source>
            <translation>geschützt</translation>
        </message>
        <message>
            <source>top</source>
            <translation>oben</translation>
        </message>
        <message>
            <source>middle</source>
            <translation>Mitte</translation>
        </message>
        <message>
            <source>bottom</source>
            <translation>unten</translation>
        </message>
        <message>
            <source>head</source>
            <translation>Anfang</translation>
        </message>
        <message>
            <source>protected tail</source>
            <translation>geschütztes Ende</translation>
        </message>
        <message>
            <source>protected · {messages}</source>
            <translation>geschützt · {messages}</translation>
        </message>
        <message>
            <source>tool results to one line</source>
            <translation>Tool-Ergebnisse auf eine Zeile</translation>
        </message>
        <message>
            <source>part {number}</source>
            <translation>Teil {number}</translation>
        </message>
        <message>
            <source>{count} message</source>
            <translation>{count} Nachricht</translation>
        </message>
        <message>
            <source>{count} messages</source>
            <translation>{count} Nachrichten</translation>
        </message>
        <message>
            <source>{count} more line</source>
            <translation>{count} weitere Zeile</translation>
        </message>
        <message>
            <source>{count} more lines</source>
            <translation>{count} weitere Zeilen</translation>
        </message>
        <message>
            <source>The price of the recorded call is not in the file; its pay-back counts the cache only.</source>
            <translation>Der Preis des aufgezeichneten Aufrufs steht nicht in der Datei; seine Amortisation zählt nur den Cache.</translation>
        </message>
        <message>
            <source>Recorded rows speak of the messages before their compaction: choose that scope to set them beside.</source>
            <translation>Aufgezeichnete Zeilen sprechen von den Nachrichten vor ihrer Verdichtung: diesen Umfang wählen, um sie danebenzustellen.</translation>
        </message>
        <message>
            <source>over {where} · {count} · {size} tokens · {by}; nothing was sent</source>
            <translation>über {where} · {count} · {size} Token · {by}; nichts wurde gesendet</translation>
        </message>
        <message>
            <source>{count} of {count2} facts that were used again</source>
            <translation>{count} von {count2} Fakten, die wieder gebraucht wurden</translation>
        </message>
        <message>
            <source>{mark} tokens after (fewer is better)</source>
            <translation>{mark} Token nachher (weniger ist besser)</translation>
        </message>
        <message>
            <source>{count} result</source>
            <translation>{count} Ergebnis</translation>
        </message>
        <message>
            <source>{count} results</source>
            <translation>{count} Ergebnisse</translation>
        </message>
        <message>
            <source>the whole session</source>
            <translation>die ganze Sitzung</translation>
        </message>
        <message>
            <source>the messages {scope}</source>
            <translation>die Nachrichten {scope}</translation>
        </message>
        <message>
            <source>the current context</source>
            <translation>den jetzigen Kontext</translation>
        </message>
        <message>
            <source>over {where} · {by}; nothing is sent</source>
            <translation>über {where} · {by}; nichts wird gesendet</translation>
        </message>
        <message>
            <source>{LABELS}: {facts} of {facts2}</source>
            <translation>{LABELS}: {facts} von {facts2}</translation>
        </message>
        <message>
            <source>{count} of {total}</source>
            <translation>{count} von {total}</translation>
        </message>
        <message>
            <source>{more} more</source>
            <translation>{more} weitere</translation>
        </message>
        <message>
            <source>{done} of {total} done in {seconds}</source>
            <translation>{done} von {total} fertig in {seconds}</translation>
        </message>
        <message>
            <source>0 of {total} done</source>
            <translation>0 von {total} fertig</translation>
        </message>
        <message>
            <source>as it is</source>
            <translation>wie es ist</translation>
        </message>
        <message>
            <source>of {short} before it</source>
            <translation>von {short} davor</translation>
        </message>
        <message>
            <source>nothing to compact</source>
            <translation>nichts zu verdichten</translation>
        </message>
        <message>
            <source>{facts} in the summary that no source has</source>
            <translation>{facts} in der Zusammenfassung, die keine Quelle hat</translation>
        </message>
        <message>
            <source>{count} error</source>
            <translation>{count} Fehler</translation>
        </message>
        <message>
            <source>{count} errors</source>
            <translation>{count} Fehler</translation>
        </message>
        <message>
            <source>{count} warning</source>
            <translation>{count} Warnung</translation>
        </message>
        <message>
            <source>{count} warnings</source>
            <translation>{count} Warnungen</translation>
        </message>
        <message>
            <source>weighted fidelity (more is better)</source>
            <translation>gewichtete Treue (mehr ist besser)</translation>
        </message>
        <message>
            <source>The transcript ends here: nobody knows what comes.</source>
            <translation>Das Transkript endet hier: Niemand weiß, was kommt.</translation>
        </message>
        <message>
            <source>The model has no price in the table.</source>
            <translation>Das Modell hat keinen Preis in der Tabelle.</translation>
        </message>
        <message>
            <source>open</source>
            <translation>offen</translation>
        </message>
        <message>
            <source>recorded {number} and {preset}</source>
            <translation>aufgezeichnet {number} und {preset}</translation>
        </message>
        <message>
            <source>What the agent itself made of it.</source>
            <translation>Was der Agent selbst daraus gemacht hat.</translation>
        </message>
        <message>
            <source>{count} fact</source>
            <translation>{count} Fakt</translation>
        </message>
        <message>
            <source>{count} facts</source>
            <translation>{count} Fakten</translation>
        </message>
        <message>
            <source>at once</source>
            <translation>sofort</translation>
        </message>
        <message>
            <source>{count} call</source>
            <translation>{count} Aufruf</translation>
        </message>
        <message>
            <source>{count} calls</source>
            <translation>{count} Aufrufe</translation>
        </message>
        <message>
            <source>{count} compaction</source>
            <translation>{count} Verdichtung</translation>
        </message>
        <message>
            <source>{count} compactions</source>
            <translation>{count} Verdichtungen</translation>
        </message>
        <message>
            <source>{count} more file was</source>
            <translation>{count} weitere Datei wurde</translation>
        </message>
        <message>
            <source>{count} more files were</source>
            <translation>{count} weitere Dateien wurden</translation>
        </message>
        <message>
            <source>Scope</source>
            <translation>Umfang</translation>
        </message>
        <message>
            <source>Model</source>
            <translation>Modell</translation>
        </message>
        <message>
            <source>fates</source>
            <translation>Verbleib</translation>
        </message>
        <message>
            <source>unchanged</source>
            <translation>unverändert</translation>
        </message>
        <message>
            <source>files modified</source>
            <translation>geänderte Dateien</translation>
        </message>
        <message>
            <source>paths</source>
            <translation>Pfade</translation>
        </message>
        <message>
            <source>todos</source>
            <translation>Aufgaben</translation>
        </message>
        <message>
            <source>decisions</source>
            <translation>Entscheidungen</translation>
        </message>
        <message>
            <source>identifiers</source>
            <translation>Bezeichner</translation>
        </message>
        <message>
            <source>numbers</source>
            <translation>Zahlen</translation>
        </message>
        <message>
            <source>URLs</source>
            <translation>URLs</translation>
        </message>
        <message>
            <source>commands</source>
            <translation>Befehle</translation>
        </message>
        <message>
            <source>user messages</source>
            <translation>Nachrichten der Person</translation>
        </message>
        <message>
            <source>code</source>
            <translation>Code</translation>
        </message>
        <message>
            <source>a rule that a person or the system set, word for word</source>
            <translation>eine Regel, die eine Person oder das System setzte, wörtlich</translation>
        </message>
        <message>
            <source>a file that was written, edited, moved or deleted</source>
            <translation>eine Datei, die geschrieben, bearbeitet, verschoben oder gelöscht wurde</translation>
        </message>
        <message>
            <source>what a tool said when it failed</source>
            <translation>was ein Tool sagte, als es scheiterte</translation>
        </message>
        <message>
            <source>a file that was only read</source>
            <translation>eine Datei, die nur gelesen wurde</translation>
        </message>
        <message>
            <source>an item of the last todo list, with its state</source>
            <translation>ein Punkt der letzten Aufgabenliste, mit seinem Stand</translation>
        </message>
        <message>
            <source>a sentence that says what was chosen or why, and names something</source>
            <translation>ein Satz, der sagt, was gewählt wurde oder warum, und etwas benennt</translation>
        </message>
        <message>
            <source>a name as code spells it</source>
            <translation>ein Name, wie Code ihn schreibt</translation>
        </message>
        <message>
            <source>a value with the key that names it</source>
            <translation>ein Wert mit dem Schlüssel, der ihn benennt</translation>
        </message>
        <message>
            <source>an address that was said or fetched</source>
            <translation>eine Adresse, die genannt oder abgerufen wurde</translation>
        </message>
        <message>
            <source>a shell command that does more than look around</source>
            <translation>ein Shell-Befehl, der mehr tut, als sich umzusehen</translation>
        </message>
        <message>
            <source>what the person said, message by message</source>
            <translation>was die Person sagte, Nachricht für Nachricht</translation>
        </message>
        <message>
            <source>fenced code and written file contents, in runs of three lines</source>
            <translation>eingefasster Code und geschriebene Dateiinhalte, je drei Zeilen</translation>
        </message>
        <message>
            <source>in other words</source>
            <translation>in anderen Worten</translation>
        </message>
        <message>
            <source>its name alone</source>
            <translation>nur sein Name</translation>
        </message>
        <message>
            <source>its type alone</source>
            <translation>nur seine Art</translation>
        </message>
        <message>
            <source>without its state</source>
            <translation>ohne seinen Stand</translation>
        </message>
        <message>
            <source>without its query</source>
            <translation>ohne die Abfrage</translation>
        </message>
        <message>
            <source>its program alone</source>
            <translation>nur sein Programm</translation>
        </message>
        <message>
            <source>some of its lines</source>
            <translation>einige seiner Zeilen</translation>
        </message>
        <message>
            <source>says the opposite now</source>
            <translation>sagt jetzt das Gegenteil</translation>
        </message>
        <message>
            <source>its file is still named</source>
            <translation>seine Datei wird noch genannt</translation>
        </message>
        <message>
            <source>never resolved</source>
            <translation>nie gelöst</translation>
        </message>
        <message>
            <source>The share of what a later turn may need that the result still holds, weighted by kind: in the text word for word 1, in a summary 0.9, in part 0.5, named so that it can be read again 0.4. Being in the text is not the same as being used.</source>
            <translation>Der Anteil dessen, was ein späterer Zug brauchen mag und was das Ergebnis noch hält, nach Art gewichtet: wörtlich im Text 1, in einer Zusammenfassung 0.9, in Teilen 0.5, so benannt, dass es sich wieder lesen lässt, 0.4. Im Text zu stehen ist nicht dasselbe wie benutzt zu werden.</translation>
        </message>
        <message>
            <source> The offline summary is filled from the same kinds of fact, so its figure is a best case; what later turns needed is the fairer test.</source>
            <translation> Die Offline-Zusammenfassung wird aus denselben Arten von Fakten gefüllt, ihre Zahl ist also der beste Fall; was spätere Züge brauchten, ist die gerechtere Probe.</translation>
        </message>
        <message>
            <source>The summary is not written yet; what it will say does not count.</source>
            <translation>Die Zusammenfassung ist noch nicht geschrieben; was sie sagen wird, zählt nicht.</translation>
        </message>
        <message>
            <source>Nothing was compacted, so every fact stands.</source>
            <translation>Nichts wurde verdichtet, also steht jeder Fakt.</translation>
        </message>
        <message>
            <source>{count} of {plural}</source>
            <translation>{count} von {plural}</translation>
        </message>
        <message>
            <source> · no effect, </source>
            <translation> · ohne Wirkung, </translation>
        </message>
        <message>
            <source>Pins have no effect with {name}, </source>
            <translation>Anheftungen haben mit {name} keine Wirkung, </translation>
        </message>
        <message>
            <source>Pin the other {count} constraints</source>
            <translation>Die anderen {count} Vorgaben anheften</translation>
        </message>
        <message>
            <source>Pin all {count} constraints</source>
            <translation>Alle {count} Vorgaben anheften</translation>
        </message>
        <message>
            <source>Pin the constraint</source>
            <translation>Die Vorgabe anheften</translation>
        </message>
        <message>
            <source>Look before {message}</source>
            <translation>Vor {message} sehen</translation>
        </message>
        <message>
            <source>result {message} · nowhere in the source</source>
            <translation>Ergebnis {message} · nirgends in der Quelle</translation>
        </message>
        <message>
            <source>use {other}</source>
            <translation>{other} benutzen</translation>
        </message>
        <message>
            <source>Pin the other constraint</source>
            <translation>Die andere Vorgabe anheften</translation>
        </message>
        <message>
            <source>Needed by later turns: – (the transcript ends here).</source>
            <translation>Von späteren Zügen gebraucht: – (das Transkript endet hier).</translation>
        </message>
        <message>
            <source>Needed by later turns: {kept} still there, {share}; {uses} by number of uses.</source>
            <translation>Von späteren Zügen gebraucht: {kept} noch da, {share}; {uses} nach Zahl der Verwendungen.</translation>
        </message>
        <message>
            <source>{message} · used again later</source>
            <translation>{message} · später wieder gebraucht</translation>
        </message>
        <message>
            <source>Needed by later turns: nothing that was said before.</source>
            <translation>Von späteren Zügen gebraucht: nichts, was vorher gesagt wurde.</translation>
        </message>
        <message>
            <source>{messages} so far</source>
            <translation>{messages} bisher</translation>
        </message>
        <message>
            <source>{count} file</source>
            <translation>{count} Datei</translation>
        </message>
        <message>
            <source>{count} files</source>
            <translation>{count} Dateien</translation>
        </message>
        <message>
            <source>{count} transcript</source>
            <translation>{count} Transkript</translation>
        </message>
        <message>
            <source>{count} transcripts</source>
            <translation>{count} Transkripte</translation>
        </message>
        <message>
            <source>{count} other</source>
            <translation>{count} anderes</translation>
        </message>
        <message>
            <source>{count} others</source>
            <translation>{count} andere</translation>
        </message>
        <message>
            <source>Tokens decide this cut: the oldest go first until the target is met.</source>
            <translation>Über diesen Schnitt entscheiden Token: Die ältesten gehen zuerst, bis das Ziel erreicht ist.</translation>
        </message>
        <message>
            <source>This cut follows a rule of {name} that is no setting.</source>
            <translation>Dieser Schnitt folgt einer Regel von {name}, die keine Einstellung ist.</translation>
        </message>
        <message>
            <source>Begin</source>
            <translation>Anfangen</translation>
        </message>
        <message>
            <source>In depth</source>
            <translation>Im Einzelnen</translation>
        </message>
        <message>
            <source>Look up</source>
            <translation>Nachschlagen</translation>
        </message>
        <message>
            <source>Strategies</source>
            <translation>Strategien</translation>
        </message>
        <message>
            <source>Import report of {name}</source>
            <translation>Importbericht von {name}</translation>
        </message>
        <message>
            <source> {secrets} written over.</source>
            <translation> {secrets} überschrieben.</translation>
        </message>
        <message>
            <source>Copied.{over}</source>
            <translation>Kopiert.{over}</translation>
        </message>
        <message>
            <source>opened as</source>
            <translation>geöffnet als</translation>
        </message>
        <message>
            <source>records read</source>
            <translation>Einträge gelesen</translation>
        </message>
        <message>
            <source>recorded compactions</source>
            <translation>aufgezeichnete Verdichtungen</translation>
        </message>
        <message>
            <source>Skipped: {records}</source>
            <translation>Übersprungen: {records}</translation>
        </message>
        <message>
            <source>Repaired: {count}</source>
            <translation>Repariert: {count}</translation>
        </message>
        <message>
            <source>Warnings: {count}</source>
            <translation>Warnungen: {count}</translation>
        </message>
        <message>
            <source>{count} secret</source>
            <translation>{count} Geheimnis</translation>
        </message>
        <message>
            <source>{count} secrets</source>
            <translation>{count} Geheimnisse</translation>
        </message>
        <message>
            <source>{count} record</source>
            <translation>{count} Eintrag</translation>
        </message>
        <message>
            <source>{count} records</source>
            <translation>{count} Einträge</translation>
        </message>
        <message>
            <source>What the exporter would write, checked against the rules of each API.</source>
            <translation>Was der Export schreiben würde, geprüft an den Regeln jeder API.</translation>
        </message>
        <message>
            <source>{errors} for {names}</source>
            <translation>{errors} für {names}</translation>
        </message>
        <message>
            <source>valid for {labels}</source>
            <translation>gültig für {labels}</translation>
        </message>
        <message>
            <source>The tail</source>
            <translation>Das Ende</translation>
        </message>
        <message>
            <source>{count} of it system prompt and tools</source>
            <translation>{count} davon System-Prompt und Tools</translation>
        </message>
        <message>
            <source>{count} to the trigger</source>
            <translation>{count} bis zum Auslöser</translation>
        </message>
        <message>
            <source>{count} encrypted message</source>
            <translation>{count} verschlüsselte Nachricht</translation>
        </message>
        <message>
            <source>{count} encrypted messages</source>
            <translation>{count} verschlüsselte Nachrichten</translation>
        </message>
        <message>
            <source>{signed} tokens · {value}{share}</source>
            <translation>{signed} Token · {value}{share}</translation>
        </message>
        <message>
            <source>Tail: the newest {share} of {plural} = {span}</source>
            <translation>Ende: die neuesten {share} von {plural} = {span}</translation>
        </message>
        <message>
            <source>limit {count}</source>
            <translation>Limit {count}</translation>
        </message>
        <message>
            <source>limit {short}</source>
            <translation>Limit {short}</translation>
        </message>
        <message>
            <source>trigger {share} · {count}</source>
            <translation>Auslöser {share} · {count}</translation>
        </message>
        <message>
            <source>trigger {short}</source>
            <translation>Auslöser {short}</translation>
        </message>
        <message>
            <source>{count} over the limit</source>
            <translation>{count} über dem Limit</translation>
        </message>
        <message>
            <source>{count} over the trigger</source>
            <translation>{count} über dem Auslöser</translation>
        </message>
        <message>
            <source>{text} · {hidden} not counted</source>
            <translation>{text} · {hidden} nicht gezählt</translation>
        </message>
        <message>
            <source>after #{index}</source>
            <translation>nach #{index}</translation>
        </message>
        <message>
            <source>the call</source>
            <translation>der Aufruf</translation>
        </message>
        <message>
            <source>target {count}</source>
            <translation>Ziel {count}</translation>
        </message>
        <message>
            <source>limit {unknown}, set</source>
            <translation>Limit {unknown}, setzen</translation>
        </message>
        <message>
            <source>limit {unknown}</source>
            <translation>Limit {unknown}</translation>
        </message>
        <message>
            <source>trigger {count}</source>
            <translation>Auslöser {count}</translation>
        </message>
        <message>
            <source>{name} asked for {cut} and moved to {cut2}</source>
            <translation>{name} war bei {cut} verlangt und rückte zu {cut2}</translation>
        </message>
        <message>
            <source>Cut {number}</source>
            <translation>Schnitt {number}</translation>
        </message>
        <message>
            <source>{name} {clean} stays with its result</source>
            <translation>{name} {clean} bleibt bei seinem Ergebnis</translation>
        </message>
        <message>
            <source>The history is as it was.</source>
            <translation>Der Verlauf ist, wie er war.</translation>
        </message>
        <message>
            <source>{tokens} → {tokens2} tokens</source>
            <translation>{tokens} → {tokens2} Token</translation>
        </message>
        <message>
            <source>{count} → {count2} messages</source>
            <translation>{count} → {count2} Nachrichten</translation>
        </message>
        <message>
            <source>Compacted: run {number} with {name}.</source>
            <translation>Verdichtet: Lauf {number} mit {name}.</translation>
        </message>
        <message>
            <source>The result is kept.</source>
            <translation>Das Ergebnis wird behalten.</translation>
        </message>
        <message>
            <source>Not applied: the result is not smaller.</source>
            <translation>Nicht angewandt: Das Ergebnis ist nicht kleiner.</translation>
        </message>
        <message>
            <source>Other strategies</source>
            <translation>Andere Strategien</translation>
        </message>
        <message>
            <source>{messages}, {tokens}. The file is as it was.</source>
            <translation>{messages}, {tokens}. Die Datei ist, wie sie war.</translation>
        </message>
        <message>
            <source> {count} more in the details.</source>
            <translation> {count} weitere in den Details.</translation>
        </message>
        <message>
            <source>and none is known for “{model}”.</source>
            <translation>und für „{model}“ ist keines bekannt.</translation>
        </message>
        <message>
            <source>and the file names no model.</source>
            <translation>und die Datei nennt kein Modell.</translation>
        </message>
        <message>
            <source>{strategy} needs a context limit</source>
            <translation>{strategy} braucht ein Kontextlimit</translation>
        </message>
        <message>
            <source>Nothing to compact.</source>
            <translation>Nichts zu verdichten.</translation>
        </message>
        <message>
            <source>The result has {plural} for {label}</source>
            <translation>Das Ergebnis hat {plural} für {label},</translation>
        </message>
        <message>
            <source>that the API would refuse; the source has {count}.</source>
            <translation>die die API ablehnen würde; die Quelle hat {count}.</translation>
        </message>
        <message>
            <source>Set for this session</source>
            <translation>Für diese Sitzung setzen</translation>
        </message>
        <message>
            <source>Show them</source>
            <translation>Zeigen</translation>
        </message>
        <message>
            <source>on</source>
            <translation>an</translation>
        </message>
        <message>
            <source>off</source>
            <translation>aus</translation>
        </message>
        <message>
            <source>Writes summaries on this machine, without a model.</source>
            <translation>Schreibt Zusammenfassungen auf diesem Rechner, ohne Modell.</translation>
        </message>
        <message>
            <source>The format that fits best, whatever the file is called.</source>
            <translation>Das Format, das am besten passt, wie auch immer die Datei heißt.</translation>
        </message>
        <message>
            <source>Import report</source>
            <translation>Importbericht</translation>
        </message>
        <message>
            <source>by reverse engineering</source>
            <translation>durch Reverse Engineering</translation>
        </message>
        <message>
            <source>by its own sources</source>
            <translation>nach eigenen Quellen</translation>
        </message>
        <message>
            <source>{about} {program}, as of {as_of}, {known}.</source>
            <translation>{about} {program}, Stand {as_of}, {known}.</translation>
        </message>
        <message>
            <source>conversation {number} of {count}</source>
            <translation>Gespräch {number} von {count}</translation>
        </message>
        <message>
            <source>branch {branch} of {count}</source>
            <translation>Zweig {branch} von {count}</translation>
        </message>
        <message>
            <source>{count} import warning</source>
            <translation>{count} Importwarnung</translation>
        </message>
        <message>
            <source>{count} import warnings</source>
            <translation>{count} Importwarnungen</translation>
        </message>
        <message>
            <source>{count} repaired</source>
            <translation>{count} repariert</translation>
        </message>
        <message>
            <source>leaves at line {count}</source>
            <translation>zweigt in Zeile {count} ab</translation>
        </message>
        <message>
            <source>no model named</source>
            <translation>kein Modell genannt</translation>
        </message>
        <message>
            <source>The file names none: choose one, or set a context limit.</source>
            <translation>Die Datei nennt keines: eines wählen oder ein Kontextlimit setzen.</translation>
        </message>
        <message>
            <source>Opened as {label}: {why}. A click reads it as another format.</source>
            <translation>Geöffnet als {label}: {why}. Ein Klick liest sie als anderes Format.</translation>
        </message>
        <message>
            <source>{label}, as the source</source>
            <translation>{label}, wie die Quelle</translation>
        </message>
        <message>
            <source>{count} line</source>
            <translation>{count} Zeile</translation>
        </message>
        <message>
            <source>{count} lines</source>
            <translation>{count} Zeilen</translation>
        </message>
        <message>
            <source>By content</source>
            <translation>Nach Inhalt</translation>
        </message>
        <message>
            <source>Open another conversation of this file.</source>
            <translation>Ein anderes Gespräch dieser Datei öffnen.</translation>
        </message>
        <message>
            <source>Read the session along another branch.</source>
            <translation>Die Sitzung entlang eines anderen Zweigs lesen.</translation>
        </message>
        <message>
            <source>{count} recorded compaction</source>
            <translation>{count} aufgezeichnete Verdichtung</translation>
        </message>
        <message>
            <source>{count} recorded compactions</source>
            <translation>{count} aufgezeichnete Verdichtungen</translation>
        </message>
        <message>
            <source>no recorded compaction</source>
            <translation>keine aufgezeichnete Verdichtung</translation>
        </message>
        <message>
            <source>What was skipped, repaired or warned of while reading.</source>
            <translation>Was beim Lesen übersprungen, repariert oder bemängelt wurde.</translation>
        </message>
        <message>
            <source>Kept per tool</source>
            <translation>Behalten je Tool</translation>
        </message>
        <message>
            <source>An agent compacts from here on. A compact by hand does not wait for it.</source>
            <translation>Ab hier verdichtet ein Agent. Von Hand geht es auch vorher.</translation>
        </message>
        <message>
            <source>{span} · {share} of {plural}</source>
            <translation>{span} · {share} von {plural}</translation>
        </message>
        <message>
            <source>target {count} = {product} × {headroom:.2f}, {met}</source>
            <translation>Ziel {count} = {product} × {headroom:.2f}, {met}</translation>
        </message>
        <message>
            <source>{name}, no model call</source>
            <translation>{name}, kein Modellaufruf</translation>
        </message>
        <message>
            <source>saves, (would save)</source>
            <translation>spart, (würde sparen)</translation>
        </message>
        <message>
            <source>(would save)</source>
            <translation>(würde sparen)</translation>
        </message>
        <message>
            <source>Density, every turn</source>
            <translation>Dichte, bei jedem Zug</translation>
        </message>
        <message>
            <source>Compact, at the trigger</source>
            <translation>Verdichten, am Auslöser</translation>
        </message>
        <message>
            <source>More</source>
            <translation>Mehr</translation>
        </message>
        <message>
            <source>no effect with {name}</source>
            <translation>ohne Wirkung mit {name}</translation>
        </message>
        <message>
            <source>no effect here</source>
            <translation>hier ohne Wirkung</translation>
        </message>
        <message>
            <source>would save, under {other}</source>
            <translation>würde sparen, unter {other}</translation>
        </message>
        <message>
            <source> to keep a pair</source>
            <translation>, damit ein Paar bleibt</translation>
        </message>
        <message>
            <source>moved by {index}{why}</source>
            <translation>um {index} verschoben{why}</translation>
        </message>
        <message>
            <source>Written by</source>
            <translation>Schreibt</translation>
        </message>
        <message>
            <source>Prompt</source>
            <translation>Prompt</translation>
        </message>
        <message>
            <source>Try it</source>
            <translation>Probieren</translation>
        </message>
        <message>
            <source>Keep tail</source>
            <translation>Ende behalten</translation>
        </message>
        <message>
            <source>An agent compacts then. A compact by hand does not wait for it.</source>
            <translation>Dann verdichtet ein Agent. Von Hand geht es auch vorher.</translation>
        </message>
        <message>
            <source>No agent compacts by it; a compact by hand changes nothing.</source>
            <translation>Kein Agent verdichtet danach; von Hand ändert es nichts.</translation>
        </message>
        <message>
            <source>Human</source>
            <translation>Person</translation>
        </message>
        <message>
            <source>AI</source>
            <translation>KI</translation>
        </message>
        <message>
            <source>Others</source>
            <translation>Andere</translation>
        </message>
        <message>
            <source>Failed</source>
            <translation>Gescheitert</translation>
        </message>
        <message>
            <source>At least</source>
            <translation>Mindestens</translation>
        </message>
        <message>
            <source>In batches</source>
            <translation>In Stapeln</translation>
        </message>
        <message>
            <source>target {count} = {share} × {of}, {shown}</source>
            <translation>Ziel {count} = {share} × {of}, {shown}</translation>
        </message>
        <message>
            <source>missed by {count}</source>
            <translation>verfehlt um {count}</translation>
        </message>
        <message>
            <source>Preset</source>
            <translation>Preset</translation>
        </message>
        <message>
            <source>At</source>
            <translation>Bei</translation>
        </message>
        <message>
            <source>the preset's own</source>
            <translation>des Presets eigener</translation>
        </message>
        <message>
            <source>stops where the target is met</source>
            <translation>hört auf, wo das Ziel erreicht ist</translation>
        </message>
        <message>
            <source>until the target</source>
            <translation>bis zum Ziel</translation>
        </message>
        <message>
            <source>Does as</source>
            <translation>Tut wie</translation>
        </message>
        <message>
            <source>As of</source>
            <translation>Stand</translation>
        </message>
        <message>
            <source>Source</source>
            <translation>Quelle</translation>
        </message>
        <message>
            <source>Here</source>
            <translation>Hier</translation>
        </message>
        <message>
            <source>{count} token</source>
            <translation>{count} Token</translation>
        </message>
        <message>
            <source>{count} tokens</source>
            <translation>{count} Token</translation>
        </message>
        <message>
            <source>tool results</source>
            <translation>Tool-Ergebnisse</translation>
        </message>
        <message>
            <source>human messages</source>
            <translation>Nachrichten der Person</translation>
        </message>
        <message>
            <source>ai messages</source>
            <translation>Nachrichten der KI</translation>
        </message>
        <message>
            <source>display-only, deleted</source>
            <translation>nur Anzeige, gelöscht</translation>
        </message>
        <message>
            <source>reverse engineering</source>
            <translation>Reverse Engineering</translation>
        </message>
        <message>
            <source>its own</source>
            <translation>eigene</translation>
        </message>
        <message>
            <source>Ask a model what it still knows…</source>
            <translation>Ein Modell fragen, was es noch weiß …</translation>
        </message>
        <message>
            <source>What a model still knows</source>
            <translation>Was ein Modell noch weiß</translation>
        </message>
        <message>
            <source>Ask the same over the uncompacted history, to compare</source>
            <translation>Dasselbe über den unverdichteten Verlauf fragen, zum Vergleich</translation>
        </message>
        <message>
            <source>The summary is not written yet: compact first.</source>
            <translation>Die Zusammenfassung ist noch nicht geschrieben: zuerst verdichten.</translation>
        </message>
        <message>
            <source>Nothing was compacted that could be asked for.</source>
            <translation>Es wurde nichts verdichtet, wonach sich fragen ließe.</translation>
        </message>
        <message>
            <source>compact first</source>
            <translation>zuerst verdichten</translation>
        </message>
        <message>
            <source>nothing to ask for</source>
            <translation>nichts zu fragen</translation>
        </message>
        <message>
            <source>at most {cost}</source>
            <translation>höchstens {cost}</translation>
        </message>
        <message>
            <source>Ask {name} {questions} · {cost}</source>
            <translation>{name} {questions} stellen · {cost}</translation>
        </message>
        <message>
            <source>The {name} profile answers no questions: choose one with a model.</source>
            <translation>Das Profil {name} beantwortet keine Fragen: eines mit Modell wählen.</translation>
        </message>
        <message>
            <source>price unknown</source>
            <translation>Preis unbekannt</translation>
        </message>
        <message>
            <source>nothing to pay</source>
            <translation>nichts zu zahlen</translation>
        </message>
        <message>
            <source>Ask {questions}</source>
            <translation>{questions} stellen</translation>
        </message>
        <message>
            <source>none</source>
            <translation>keine</translation>
        </message>
        <message>
            <source>answered</source>
            <translation>beantwortet</translation>
        </message>
        <message>
            <source>score</source>
            <translation>Wertung</translation>
        </message>
        <message>
            <source>{count} of {total} asked</source>
            <translation>{count} von {total} gefragt</translation>
        </message>
        <message>
            <source>{count} question</source>
            <translation>{count} Frage</translation>
        </message>
        <message>
            <source>{count} questions</source>
            <translation>{count} Fragen</translation>
        </message>
        <message>
            <source>Result</source>
            <translation>Ergebnis</translation>
        </message>
        <message>
            <source>Goes to</source>
            <translation>Geht an</translation>
        </message>
        <message>
            <source>{where}, as {model}</source>
            <translation>{where}, als {model}</translation>
        </message>
        <message>
            <source>Price</source>
            <translation>Preis</translation>
        </message>
        <message>
            <source>Secrets found in the text</source>
            <translation>Im Text gefundene Geheimnisse</translation>
        </message>
        <message>
            <source>expected</source>
            <translation>erwartet</translation>
        </message>
        <message>
            <source>uncompacted</source>
            <translation>unverdichtet</translation>
        </message>
        <message>
            <source>Cancelled.</source>
            <translation>Abgebrochen.</translation>
        </message>
        <message>
            <source>not with {name}</source>
            <translation>nicht mit {name}</translation>
        </message>
        <message>
            <source>given</source>
            <translation>gegeben</translation>
        </message>
        <message>
            <source>right</source>
            <translation>richtig</translation>
        </message>
        <message>
            <source>partly right</source>
            <translation>teils richtig</translation>
        </message>
        <message>
            <source>wrong</source>
            <translation>falsch</translation>
        </message>
        <message>
            <source>not answered</source>
            <translation>nicht beantwortet</translation>
        </message>
        <message>
            <source>{low} to {high}</source>
            <translation>{low} bis {high}</translation>
        </message>
        <message>
            <source>Writes summaries on this machine, without a model or a key.</source>
            <translation>Schreibt Zusammenfassungen auf diesem Rechner, ohne Modell und ohne Schlüssel.</translation>
        </message>
        <message>
            <source>This model</source>
            <translation>Dieses Modell</translation>
        </message>
        <message>
            <source>This provider</source>
            <translation>Dieser Anbieter</translation>
        </message>
        <message>
            <source>All providers</source>
            <translation>Alle Anbieter</translation>
        </message>
        <message>
            <source>Built in</source>
            <translation>Eingebaut</translation>
        </message>
        <message>
            <source>; {name} asks for {count}.</source>
            <translation>; {name} verlangt {count}.</translation>
        </message>
        <message>
            <source>{tokens} tokens, sent after the prompt</source>
            <translation>{tokens} Token, nach dem Prompt gesendet</translation>
        </message>
        <message>
            <source>{tokens} tokens · {label}</source>
            <translation>{tokens} Token · {label}</translation>
        </message>
        <message>
            <source>Another program changed this file.</source>
            <translation>Ein anderes Programm hat diese Datei geändert.</translation>
        </message>
        <message>
            <source>{place} · installed, a newer text ships</source>
            <translation>{place} · installiert, ein neuerer Text liegt bei</translation>
        </message>
        <message>
            <source>cannot be used</source>
            <translation>nicht benutzbar</translation>
        </message>
        <message>
            <source>in use</source>
            <translation>in Gebrauch</translation>
        </message>
        <message>
            <source>{{{one}}} is not a placeholder and would be sent as it is.</source>
            <translation>{{{one}}} ist kein Platzhalter und würde so gesendet, wie es dasteht.</translation>
        </message>
        <message>
            <source>{capitalize} {value} to check.</source>
            <translation>{capitalize} {value} zu prüfen.</translation>
        </message>
        <message>
            <source>the messages</source>
            <translation>die Nachrichten</translation>
        </message>
        <message>
            <source>the budget of the summary</source>
            <translation>das Budget der Zusammenfassung</translation>
        </message>
        <message>
            <source>Another program deleted this file.</source>
            <translation>Ein anderes Programm hat diese Datei gelöscht.</translation>
        </message>
        <message>
            <source>{count} of {count2}</source>
            <translation>{count} von {count2}</translation>
        </message>
        <message>
            <source>This file cannot be used.</source>
            <translation>Diese Datei ist nicht benutzbar.</translation>
        </message>
        <message>
            <source>The text is empty.</source>
            <translation>Der Text ist leer.</translation>
        </message>
        <message>
            <source>An empty prompt cannot be used; delete the override instead.</source>
            <translation>Ein leerer Prompt ist nicht benutzbar; stattdessen die Überschreibung löschen.</translation>
        </message>
        <message>
            <source>Section {missing} is missing{asks}</source>
            <translation>Abschnitt {missing} fehlt{asks}</translation>
        </message>
        <message>
            <source>not a placeholder</source>
            <translation>kein Platzhalter</translation>
        </message>
        <message>
            <source>Open a transcript to see the request.</source>
            <translation>Ein Transkript öffnen, um die Anfrage zu sehen.</translation>
        </message>
        <message>
            <source>Changes against {level}</source>
            <translation>Änderungen gegen {level}</translation>
        </message>
        <message>
            <source>ships with Foldline {version}, read-only</source>
            <translation>liegt Foldline {version} bei, nur lesbar</translation>
        </message>
        <message>
            <source>Sections {names} are missing{asks}</source>
            <translation>Abschnitte {names} fehlen{asks}</translation>
        </message>
        <message>
            <source>Would summarise</source>
            <translation>Würde zusammenfassen</translation>
        </message>
        <message>
            <source>Request</source>
            <translation>Anfrage</translation>
        </message>
        <message>
            <source>Summary at most</source>
            <translation>Zusammenfassung höchstens</translation>
        </message>
        <message>
            <source>{count} later read</source>
            <translation>{count} späteres Lesen</translation>
        </message>
        <message>
            <source>{count} later reads</source>
            <translation>{count}-mal später gelesen</translation>
        </message>
        <message>
            <source>{count} later file read</source>
            <translation>{count} späteres Lesen einer Datei</translation>
        </message>
        <message>
            <source>{count} later file reads</source>
            <translation>{count}-mal später Dateien gelesen</translation>
        </message>
        <message>
            <source>{count} result was</source>
            <translation>{count} Ergebnis wurde</translation>
        </message>
        <message>
            <source>{count} results were</source>
            <translation>{count} Ergebnisse wurden</translation>
        </message>
        <message>
            <source>{count} turn</source>
            <translation>{count} Zug</translation>
        </message>
        <message>
            <source>{count} turns</source>
            <translation>{count} Züge</translation>
        </message>
        <message>
            <source>{turns} · {mark} tokens of each request · system and tools {system} · {by}</source>
            <translation>{turns} · {mark} Token jeder Anfrage · System und Tools {system} · {by}</translation>
        </message>
        <message>
            <source>{count} of {count2} replayed in {seconds} · nothing was sent</source>
            <translation>{count} von {count2} abgespielt in {seconds} · nichts wurde gesendet</translation>
        </message>
        <message>
            <source>{unknown} (not in the file)</source>
            <translation>{unknown} (nicht in der Datei)</translation>
        </message>
        <message>
            <source>limit {unknown}, choose a model or set one</source>
            <translation>Limit {unknown}, ein Modell wählen oder eines setzen</translation>
        </message>
        <message>
            <source>limit {count}, above this plot</source>
            <translation>Limit {count}, über diesem Bild</translation>
        </message>
        <message>
            <source>{name} ▲ {short} at the end</source>
            <translation>{name} ▲ {short} am Ende</translation>
        </message>
        <message>
            <source>Requests since the last compaction</source>
            <translation>Anfragen seit der letzten Verdichtung</translation>
        </message>
        <message>
            <source>≈ turn {count}</source>
            <translation>≈ Zug {count}</translation>
        </message>
        <message>
            <source>≈ turn {count}, after the end</source>
            <translation>≈ Zug {count}, nach dem Ende</translation>
        </message>
        <message>
            <source>none so far</source>
            <translation>bisher keine</translation>
        </message>
        <message>
            <source>Next trigger, at this pace</source>
            <translation>Nächster Auslöser, bei diesem Tempo</translation>
        </message>
        <message>
            <source>Next compaction</source>
            <translation>Nächste Verdichtung</translation>
        </message>
        <message>
            <source>turn {following}</source>
            <translation>Zug {following}</translation>
        </message>
        <message>
            <source>{count} more {fate}</source>
            <translation>{count} weitere {fate}</translation>
        </message>
        <message>
            <source>error</source>
            <translation>Fehler</translation>
        </message>
        <message>
            <source>asked cut</source>
            <translation>verlangter Schnitt</translation>
        </message>
        <message>
            <source>Before</source>
            <translation>Vorher</translation>
        </message>
        <message>
            <source>After</source>
            <translation>Nachher</translation>
        </message>
        <message>
            <source>counting</source>
            <translation>zählt</translation>
        </message>
        <message>
            <source>Ruler: the conversation before and after, by tokens</source>
            <translation>Lineal: das Gespräch vorher und nachher, nach Token</translation>
        </message>
        <message>
            <source>{count} more message</source>
            <translation>{count} weitere Nachricht</translation>
        </message>
        <message>
            <source>{count} more messages</source>
            <translation>{count} weitere Nachrichten</translation>
        </message>
        <message>
            <source>Lost in {message}{others}</source>
            <translation>Verloren in {message}{others}</translation>
        </message>
        <message>
            <source>Before {before}, after {after}</source>
            <translation>Vorher {before}, nachher {after}</translation>
        </message>
        <message>
            <source> and {messages}</source>
            <translation> und {messages}</translation>
        </message>
        <message>
            <source>{count} round</source>
            <translation>{count} Runde</translation>
        </message>
        <message>
            <source>{count} rounds</source>
            <translation>{count} Runden</translation>
        </message>
        <message>
            <source>{count} call of a summariser</source>
            <translation>{count} Aufruf eines Zusammenfassers</translation>
        </message>
        <message>
            <source>{count} calls of a summariser</source>
            <translation>{count} Aufrufe eines Zusammenfassers</translation>
        </message>
        <message>
            <source>{count} retry</source>
            <translation>{count} Wiederholung</translation>
        </message>
        <message>
            <source>{count} retries</source>
            <translation>{count} Wiederholungen</translation>
        </message>
        <message>
            <source>Where the {count} come from</source>
            <translation>Woher die {count} kommen</translation>
        </message>
        <message>
            <source>before compaction {number}</source>
            <translation>vor Verdichtung {number}</translation>
        </message>
        <message>
            <source>whole session</source>
            <translation>ganze Sitzung</translation>
        </message>
        <message>
            <source>current context</source>
            <translation>jetziger Kontext</translation>
        </message>
        <message>
            <source>The summary is written when the handle is let go; until then its budget counts.</source>
            <translation>Die Zusammenfassung wird geschrieben, wenn der Griff losgelassen wird; bis dahin zählt ihr Budget.</translation>
        </message>
        <message>
            <source>{name} writes the summary when you press Compact; until then its budget counts.</source>
            <translation>{name} schreibt die Zusammenfassung nach einem Druck auf „Verdichten“; bis dahin zählt ihr Budget.</translation>
        </message>
        <message>
            <source>Settings changed after it was written. Totals are estimates (≈) at its budget.</source>
            <translation>Einstellungen änderten sich, nachdem sie geschrieben war. Summen sind Schätzungen (≈) mit ihrem Budget.</translation>
        </message>
        <message>
            <source>{count} · unchanged</source>
            <translation>{count} · unverändert</translation>
        </message>
        <message>
            <source>{count} · {value} not yet written</source>
            <translation>{count} · {value} noch nicht geschrieben</translation>
        </message>
        <message>
            <source>written by {profile}</source>
            <translation>geschrieben von {profile}</translation>
        </message>
        <message>
            <source>no model needed</source>
            <translation>kein Modell nötig</translation>
        </message>
        <message>
            <source>{count} · run {run}, {by}</source>
            <translation>{count} · Lauf {run}, {by}</translation>
        </message>
        <message>
            <source>{count} · preview, {profile}</source>
            <translation>{count} · Vorschau, {profile}</translation>
        </message>
        <message>
            <source>Compact again</source>
            <translation>Neu verdichten</translation>
        </message>
        <message>
            <source>Put it back</source>
            <translation>Zurückholen</translation>
        </message>
        <message>
            <source>The summary is stale.</source>
            <translation>Die Zusammenfassung ist überholt.</translation>
        </message>
        <message>
            <source>{names} · from {message}</source>
            <translation>{names} · ab {message}</translation>
        </message>
        <message>
            <source>{shown} · from {message}</source>
            <translation>{shown} · ab {message}</translation>
        </message>
        <message>
            <source>cut {number}</source>
            <translation>Schnitt {number}</translation>
        </message>
        <message>
            <source>cut</source>
            <translation>Schnitt</translation>
        </message>
        <message>
            <source>{label} · after #{index}</source>
            <translation>{label} · nach #{index}</translation>
        </message>
        <message>
            <source>{label} · before #{index}</source>
            <translation>{label} · vor #{index}</translation>
        </message>
        <message>
            <source>summary</source>
            <translation>Zusammenfassung</translation>
        </message>
        <message>
            <source>{count} summary</source>
            <translation>{count} Zusammenfassung</translation>
        </message>
        <message>
            <source>{count} summaries</source>
            <translation>{count} Zusammenfassungen</translation>
        </message>
        <message>
            <source>{count} session</source>
            <translation>{count} Sitzung</translation>
        </message>
        <message>
            <source>{count} sessions</source>
            <translation>{count} Sitzungen</translation>
        </message>
        <message>
            <source>{shown:,} of {total:,} sessions</source>
            <translation>{shown:,} von {total:,} Sitzungen</translation>
        </message>
        <message>
            <source>Its next request fills {ctx_text} of the model's window.</source>
            <translation>Ihre nächste Anfrage füllt {ctx_text} des Modellfensters.</translation>
        </message>
        <message>
            <source>newest first</source>
            <translation>neueste zuerst</translation>
        </message>
        <message>
            <source>newest first · counts as they come</source>
            <translation>neueste zuerst · Zahlen folgen</translation>
        </message>
        <message>
            <source>{count} folder</source>
            <translation>{count} Ordner</translation>
        </message>
        <message>
            <source>{count} folders</source>
            <translation>{count} Ordner</translation>
        </message>
        <message>
            <source> Unit: {unit}.</source>
            <translation> Einheit: {unit}.</translation>
        </message>
        <message>
            <source>{name} declares {setting}</source>
            <translation>{name} erklärt {setting}</translation>
        </message>
        <message>
            <source>looked up by the model</source>
            <translation>nach dem Modell nachgeschlagen</translation>
        </message>
        <message>
            <source>the active profile</source>
            <translation>das aktive Profil</translation>
        </message>
        <message>
            <source>unset → {layers}</source>
            <translation>ohne Wert → {layers}</translation>
        </message>
        <message>
            <source>nothing below</source>
            <translation>nichts darunter</translation>
        </message>
        <message>
            <source>{value} is {setting}</source>
            <translation>{value} ist {setting}</translation>
        </message>
        <message>
            <source>profile {name}</source>
            <translation>Profil {name}</translation>
        </message>
        <message>
            <source>set by hand</source>
            <translation>von Hand gesetzt</translation>
        </message>
        <message>
            <source>Nothing was skipped, repaired or warned of.</source>
            <translation>Nichts wurde übersprungen, repariert oder bemängelt.</translation>
        </message>
        <message>
            <source>{tokens} of {window}</source>
            <translation>{tokens} von {window}</translation>
        </message>
        <message>
            <source>Tokens of the last request in the file, as the provider reported them.</source>
            <translation>Token der letzten Anfrage in der Datei, wie der Anbieter sie meldete.</translation>
        </message>
        <message>
            <source>Cuts and prunes exactly as llxprt does, faults included; pairs may be separated.</source>
            <translation>Schneidet und stutzt genau wie llxprt, samt Fehlern; Paare können getrennt werden.</translation>
        </message>
        <message>
            <source>{tokens}, {count} of them system prompt and tools</source>
            <translation>{tokens}, {count} davon System-Prompt und Tools</translation>
        </message>
        <message>
            <source> of {count}</source>
            <translation> von {count}</translation>
        </message>
        <message>
            <source>, limit {unknown}</source>
            <translation>, Limit {unknown}</translation>
        </message>
        <message>
            <source> · history {tokens}</source>
            <translation> · Verlauf {tokens}</translation>
        </message>
        <message>
            <source>Limit {window}.</source>
            <translation>Limit {window}.</translation>
        </message>
        <message>
            <source>reported {tokens}</source>
            <translation>gemeldet {tokens}</translation>
        </message>
        <message>
            <source>reference mode</source>
            <translation>Modus reference</translation>
        </message>
        <message>
            <source>{count} more sentence</source>
            <translation>{count} weiterer Satz</translation>
        </message>
        <message>
            <source>{count} more sentences</source>
            <translation>{count} weitere Sätze</translation>
        </message>
        <message>
            <source>The summary was checked: nothing missing.</source>
            <translation>Die Zusammenfassung ist geprüft: Nichts fehlt.</translation>
        </message>
        <message>
            <source>no source found</source>
            <translation>keine Quelle gefunden</translation>
        </message>
        <message>
            <source>{count} sentence</source>
            <translation>{count} Satz</translation>
        </message>
        <message>
            <source>{count} sentences</source>
            <translation>{count} Sätze</translation>
        </message>
        <message>
            <source>{count} thing</source>
            <translation>{count} Punkt</translation>
        </message>
        <message>
            <source>{count} things</source>
            <translation>{count} Punkte</translation>
        </message>
        <message>
            <source>gone</source>
            <translation>weg</translation>
        </message>
        <message>
            <source>≈ cost</source>
            <translation>≈ Kosten</translation>
        </message>
        <message>
            <source>{tokens} tokens, {saved}, fidelity {figures}</source>
            <translation>{tokens} Token, {saved}, Treue {figures}</translation>
        </message>
        <message>
            <source>{name} · {size} tokens before · {price}</source>
            <translation>{name} · {size} Token vorher · {price}</translation>
        </message>
        <message>
            <source>{where} · keeps {kept:,} · {size}</source>
            <translation>{where} · behält {kept:,} · {size}</translation>
        </message>
        <message>
            <source>{where} · keeps {boundary:,} · {size}</source>
            <translation>{where} · behält {boundary:,} · {size}</translation>
        </message>
        <message>
            <source>before {message}</source>
            <translation>vor {message}</translation>
        </message>
        <message>
            <source>after #{boundary}</source>
            <translation>nach #{boundary}</translation>
        </message>
        <message>
            <source>before #1</source>
            <translation>vor #1</translation>
        </message>
        <message>
            <source>Enter does it · Tab completes · ↑ ↓ move, and go through the history</source>
            <translation>Eingabe führt aus · Tab ergänzt · ↑ ↓ wählen und gehen durch den Verlauf</translation>
        </message>
        <message>
            <source>Nothing here is called “{text}”.</source>
            <translation>Hier heißt nichts „{text}“.</translation>
        </message>
        <message>
            <source>Do something, or type / for a line: /set, /profile, /compact</source>
            <translation>Etwas tun, oder / für eine Zeile: /set, /profile, /compact</translation>
        </message>
        <message>
            <source>Command</source>
            <translation>Befehl</translation>
        </message>
        <message>
            <source>Actions and completions</source>
            <translation>Aktionen und Ergänzungen</translation>
        </message>
        <message>
            <source>Too few runs.</source>
            <translation>Zu wenige Läufe.</translation>
        </message>
        <message>
            <source>Compact makes one; two can be compared.</source>
            <translation>„Verdichten“ macht einen; zwei lassen sich vergleichen.</translation>
        </message>
        <message>
            <source>The window speaks another language when it is opened again.</source>
            <translation>Das Fenster spricht die andere Sprache, wenn es wieder geöffnet wird.</translation>
        </message>
        <message>
            <source>Open a transcript</source>
            <translation>Ein Transkript öffnen</translation>
        </message>
        <message>
            <source>Compare with another file of this session</source>
            <translation>Mit einer anderen Datei dieser Sitzung vergleichen</translation>
        </message>
        <message>
            <source>MIT licence.</source>
            <translation>MIT-Lizenz.</translation>
        </message>
        <message>
            <source>to come</source>
            <translation>kommt noch</translation>
        </message>
        <message>
            <source>Facts that one result lost</source>
            <translation>Fakten, die ein Ergebnis verlor</translation>
        </message>
        <message>
            <source>lost in {upper}: {label}, {text}, {where}</source>
            <translation>verloren in {upper}: {label}, {text}, {where}</translation>
        </message>
        <message>
            <source>A click sorts by this column; S and Shift S go on to another, R turns the order round.</source>
            <translation>Ein Klick sortiert nach dieser Spalte; S und Umschalt S gehen weiter, R kehrt die Ordnung um.</translation>
        </message>
        <message>
            <source>Add strategy…</source>
            <translation>Strategie dazu …</translation>
        </message>
        <message>
            <source>Choose what is compared: strategies, presets, recorded compactions.</source>
            <translation>Wählen, was verglichen wird: Strategien, Presets, aufgezeichnete Verdichtungen.</translation>
        </message>
        <message>
            <source>Save as CSV…</source>
            <translation>Als CSV speichern …</translation>
        </message>
        <message>
            <source>Save plot as PNG…</source>
            <translation>Bild als PNG speichern …</translation>
        </message>
        <message>
            <source>Tokens against fidelity</source>
            <translation>Token gegen Treue</translation>
        </message>
        <message>
            <source>on the front</source>
            <translation>an der Front</translation>
        </message>
        <message>
            <source>beaten by another</source>
            <translation>übertroffen</translation>
        </message>
        <message>
            <source>Open A | B as before and after</source>
            <translation>A | B als Vorher und Nachher öffnen</translation>
        </message>
        <message>
            <source>Show the result of A beside that of B in Inspect.</source>
            <translation>Das Ergebnis von A neben dem von B unter „Untersuchen“ zeigen.</translation>
        </message>
        <message>
            <source>Enter in the table opens a row as the current view</source>
            <translation>Eingabe in der Tabelle öffnet eine Zeile als jetzige Ansicht</translation>
        </message>
        <message>
            <source>No pair is marked</source>
            <translation>Kein Paar ist gemerkt</translation>
        </message>
        <message>
            <source>Working …</source>
            <translation>In Arbeit …</translation>
        </message>
        <message>
            <source>Mark two rows: click the letters A and B before a name, or press A and B.</source>
            <translation>Zwei Zeilen merken: die Buchstaben A und B vor einem Namen anklicken oder A und B drücken.</translation>
        </message>
        <message>
            <source>A click shows or hides these facts.</source>
            <translation>Ein Klick zeigt oder verbirgt diese Fakten.</translation>
        </message>
        <message>
            <source>Go to the message</source>
            <translation>Zur Nachricht gehen</translation>
        </message>
        <message>
            <source>A  {a}  against  B  {b}</source>
            <translation>A  {a}  gegen  B  {b}</translation>
        </message>
        <message>
            <source>{count} lost in {letters}, kept in {others}</source>
            <translation>{count} verloren in {letters}, behalten in {others}</translation>
        </message>
        <message>
            <source>Go to {message}</source>
            <translation>Gehe zu {message}</translation>
        </message>
        <message>
            <source>{a} and {b} keep the same facts.</source>
            <translation>{a} und {b} behalten dieselben Fakten.</translation>
        </message>
        <message>
            <source>{count} tokens, fidelity {score}</source>
            <translation>{count} Token, Treue {score}</translation>
        </message>
        <message>
            <source>{name} + {more} more</source>
            <translation>{name} + {more} weitere</translation>
        </message>
        <message>
            <source>What the agent did, and what its preset would have done</source>
            <translation>Was der Agent tat, und was sein Preset getan hätte</translation>
        </message>
        <message>
            <source>A against B</source>
            <translation>A gegen B</translation>
        </message>
        <message>
            <source>The agent and its preset</source>
            <translation>Der Agent und sein Preset</translation>
        </message>
        <message>
            <source>Results</source>
            <translation>Ergebnisse</translation>
        </message>
        <message>
            <source>Source and result</source>
            <translation>Quelle und Ergebnis</translation>
        </message>
        <message>
            <source>Result of the compaction</source>
            <translation>Ergebnis der Verdichtung</translation>
        </message>
        <message>
            <source>Source as it was read</source>
            <translation>Quelle, wie sie gelesen wurde</translation>
        </message>
        <message>
            <source>Export</source>
            <translation>Exportieren</translation>
        </message>
        <message>
            <source>Replace keys, tokens and mail addresses with placeholders</source>
            <translation>Schlüssel, Token und Mailadressen durch Platzhalter ersetzen</translation>
        </message>
        <message>
            <source>Keep the source whole and append the compaction, as its agent records one</source>
            <translation>Die Quelle ganz lassen und die Verdichtung anhängen, wie ihr Agent sie aufzeichnet</translation>
        </message>
        <message>
            <source>With provenance: each message carries what it was, to be put back later</source>
            <translation>Mit Herkunft: jede Nachricht trägt, was sie war, um später zurückgeholt zu werden</translation>
        </message>
        <message>
            <source>Choose…</source>
            <translation>Wählen …</translation>
        </message>
        <message>
            <source>Replace it</source>
            <translation>Ersetzen</translation>
        </message>
        <message>
            <source>Checking the summary…</source>
            <translation>Die Zusammenfassung wird geprüft …</translation>
        </message>
        <message>
            <source>Export anyway</source>
            <translation>Trotzdem exportieren</translation>
        </message>
        <message>
            <source>Counting secrets…</source>
            <translation>Geheimnisse werden gezählt …</translation>
        </message>
        <message>
            <source>Export to</source>
            <translation>Exportieren nach</translation>
        </message>
        <message>
            <source>{path} exists already.</source>
            <translation>{path} gibt es schon.</translation>
        </message>
        <message>
            <source>Format</source>
            <translation>Format</translation>
        </message>
        <message>
            <source>What</source>
            <translation>Was</translation>
        </message>
        <message>
            <source>
and {rest:,} more; Why of the summary lists them</source>
            <translation>
und {rest:,} weitere; „Warum“ der Zusammenfassung nennt sie</translation>
        </message>
        <message>
            <source>Go to message</source>
            <translation>Gehe zu Nachricht</translation>
        </message>
        <message>
            <source>Message number</source>
            <translation>Nummer der Nachricht</translation>
        </message>
        <message>
            <source>Go</source>
            <translation>Gehen</translation>
        </message>
        <message>
            <source>of {count:,}</source>
            <translation>von {count:,}</translation>
        </message>
        <message>
            <source>Note on the message</source>
            <translation>Notiz zur Nachricht</translation>
        </message>
        <message>
            <source>Note</source>
            <translation>Notiz</translation>
        </message>
        <message>
            <source>why this matters</source>
            <translation>warum das wichtig ist</translation>
        </message>
        <message>
            <source>Keep</source>
            <translation>Behalten</translation>
        </message>
        <message>
            <source>None</source>
            <translation>Keine</translation>
        </message>
        <message>
            <source>Environment variable</source>
            <translation>Umgebungsvariable</translation>
        </message>
        <message>
            <source>Keyring entry</source>
            <translation>Eintrag im Schlüsselbund</translation>
        </message>
        <message>
            <source>Show the answer while it is written</source>
            <translation>Die Antwort zeigen, während sie entsteht</translation>
        </message>
        <message>
            <source>Save this session's values with it</source>
            <translation>Die Werte dieser Sitzung mit speichern</translation>
        </message>
        <message>
            <source>the provider's own</source>
            <translation>die des Anbieters</translation>
        </message>
        <message>
            <source>Foldline stores the name under which the key is found, never the key.</source>
            <translation>Foldline speichert den Namen, unter dem der Schlüssel zu finden ist, nie den Schlüssel.</translation>
        </message>
        <message>
            <source>Name under which the key is found</source>
            <translation>Name, unter dem der Schlüssel zu finden ist</translation>
        </message>
        <message>
            <source>Name</source>
            <translation>Name</translation>
        </message>
        <message>
            <source>Provider</source>
            <translation>Anbieter</translation>
        </message>
        <message>
            <source>Base URL</source>
            <translation>Basis-URL</translation>
        </message>
        <message>
            <source>Key</source>
            <translation>Schlüssel</translation>
        </message>
        <message>
            <source>Parameters</source>
            <translation>Parameter</translation>
        </message>
        <message>
            <source>Timeout</source>
            <translation>Zeitlimit</translation>
        </message>
        <message>
            <source>Streaming</source>
            <translation>Streaming</translation>
        </message>
        <message>
            <source>Settings</source>
            <translation>Einstellungen</translation>
        </message>
        <message>
            <source>None. Using this profile leaves the settings as they are.</source>
            <translation>Keine. Dieses Profil lässt die Einstellungen, wie sie sind.</translation>
        </message>
        <message>
            <source>new profile</source>
            <translation>neues Profil</translation>
        </message>
        <message>
            <source>Profiles</source>
            <translation>Profile</translation>
        </message>
        <message>
            <source>Delete…</source>
            <translation>Löschen …</translation>
        </message>
        <message>
            <source>New</source>
            <translation>Neu</translation>
        </message>
        <message>
            <source>Duplicate</source>
            <translation>Duplizieren</translation>
        </message>
        <message>
            <source>built in</source>
            <translation>eingebaut</translation>
        </message>
        <message>
            <source>Call the model with a few tokens, as the form says now</source>
            <translation>Das Modell mit wenigen Token rufen, wie das Formular es jetzt sagt</translation>
        </message>
        <message>
            <source>Forget the edits</source>
            <translation>Die Änderungen vergessen</translation>
        </message>
        <message>
            <source>Make this the active profile and load its settings into the session</source>
            <translation>Dieses Profil aktiv machen und seine Einstellungen in die Sitzung laden</translation>
        </message>
        <message>
            <source>Test connection</source>
            <translation>Verbindung testen</translation>
        </message>
        <message>
            <source>Revert</source>
            <translation>Zurücksetzen</translation>
        </message>
        <message>
            <source>Use</source>
            <translation>Benutzen</translation>
        </message>
        <message>
            <source>Save</source>
            <translation>Speichern</translation>
        </message>
        <message>
            <source>Delete</source>
            <translation>Löschen</translation>
        </message>
        <message>
            <source>Delete the profile {name}? Its file is removed.</source>
            <translation>Das Profil {name} löschen? Seine Datei wird entfernt.</translation>
        </message>
        <message>
            <source>Calling {name}…</source>
            <translation>{name} wird gerufen …</translation>
        </message>
        <message>
            <source>Keep run as</source>
            <translation>Lauf behalten als</translation>
        </message>
        <message>
            <source>Run to keep</source>
            <translation>Lauf, der behalten wird</translation>
        </message>
        <message>
            <source>before the refactoring</source>
            <translation>vor dem Umbau</translation>
        </message>
        <message>
            <source>Compare two runs</source>
            <translation>Zwei Läufe vergleichen</translation>
        </message>
        <message>
            <source>Run</source>
            <translation>Lauf</translation>
        </message>
        <message>
            <source>Take the session's value away, so that the layer below shows</source>
            <translation>Den Wert der Sitzung wegnehmen, sodass die Ebene darunter gilt</translation>
        </message>
        <message>
            <source>Take the value out of the settings file, so that the default shows</source>
            <translation>Den Wert aus der Einstellungsdatei nehmen, sodass der Standard gilt</translation>
        </message>
        <message>
            <source>Edit profiles…</source>
            <translation>Profile bearbeiten …</translation>
        </message>
        <message>
            <source>Reset {label}</source>
            <translation>{label} zurücksetzen</translation>
        </message>
        <message>
            <source>Search settings</source>
            <translation>Einstellungen suchen</translation>
        </message>
        <message>
            <source>Sections</source>
            <translation>Abschnitte</translation>
        </message>
        <message>
            <source>Nothing differs from what is saved.</source>
            <translation>Nichts weicht vom Gespeicherten ab.</translation>
        </message>
        <message>
            <source>1 value of this session; it applies now.</source>
            <translation>1 Wert dieser Sitzung; er gilt jetzt.</translation>
        </message>
        <message>
            <source>Take back the last change of a setting</source>
            <translation>Die letzte Änderung einer Einstellung zurücknehmen</translation>
        </message>
        <message>
            <source>Take all values of this session away, so that the saved ones show</source>
            <translation>Alle Werte dieser Sitzung wegnehmen, sodass die gespeicherten gelten</translation>
        </message>
        <message>
            <source>Keep the session's values in a profile; loading it brings them back</source>
            <translation>Die Werte der Sitzung in einem Profil behalten; es zu laden bringt sie zurück</translation>
        </message>
        <message>
            <source>Write the session's values into the settings file</source>
            <translation>Die Werte der Sitzung in die Einstellungsdatei schreiben</translation>
        </message>
        <message>
            <source>Save the session's values to profile</source>
            <translation>Die Werte der Sitzung im Profil speichern</translation>
        </message>
        <message>
            <source>Name of the profile</source>
            <translation>Name des Profils</translation>
        </message>
        <message>
            <source>{count} values of this session; they apply now.</source>
            <translation>{count} Werte dieser Sitzung; sie gelten jetzt.</translation>
        </message>
        <message>
            <source>Undo</source>
            <translation>Rückgängig</translation>
        </message>
        <message>
            <source>Discard session values</source>
            <translation>Werte verwerfen</translation>
        </message>
        <message>
            <source>Save to profile…</source>
            <translation>Im Profil speichern …</translation>
        </message>
        <message>
            <source>Save for all sessions</source>
            <translation>Für alle Sitzungen speichern</translation>
        </message>
        <message>
            <source>Save to profile</source>
            <translation>Im Profil speichern</translation>
        </message>
        <message>
            <source>Show all settings</source>
            <translation>Alle Einstellungen zeigen</translation>
        </message>
        <message>
            <source>No setting matches “{text}”.</source>
            <translation>Keine Einstellung passt zu „{text}“.</translation>
        </message>
        <message>
            <source>Strategies over the folder</source>
            <translation>Strategien über den Ordner</translation>
        </message>
        <message>
            <source>Files of the folder</source>
            <translation>Dateien des Ordners</translation>
        </message>
        <message>
            <source>Strategies…</source>
            <translation>Strategien …</translation>
        </message>
        <message>
            <source>Choose a folder: File, Compare a folder.</source>
            <translation>Einen Ordner wählen: Datei, Ordner vergleichen.</translation>
        </message>
        <message>
            <source>Forget what was done before, and do all files again.</source>
            <translation>Vergessen, was getan war, und alle Dateien neu durchgehen.</translation>
        </message>
        <message>
            <source>Compare a folder</source>
            <translation>Ordner vergleichen</translation>
        </message>
        <message>
            <source>Another folder…</source>
            <translation>Anderer Ordner …</translation>
        </message>
        <message>
            <source>Back</source>
            <translation>Zurück</translation>
        </message>
        <message>
            <source>Begin anew</source>
            <translation>Neu beginnen</translation>
        </message>
        <message>
            <source>Looking into the folder …</source>
            <translation>Der Ordner wird durchgesehen …</translation>
        </message>
        <message>
            <source>Go on</source>
            <translation>Weiter</translation>
        </message>
        <message>
            <source>Save the table</source>
            <translation>Die Tabelle speichern</translation>
        </message>
        <message>
            <source>Save the plot</source>
            <translation>Das Bild speichern</translation>
        </message>
        <message>
            <source>Enter opens a file</source>
            <translation>Eingabe öffnet eine Datei</translation>
        </message>
        <message>
            <source>Follow</source>
            <translation>Folgen</translation>
        </message>
        <message>
            <source>{name} has changed on disk.</source>
            <translation>{name} hat sich geändert.</translation>
        </message>
        <message>
            <source>Fold, unfold; on a ruler handle: next valid boundary (Shift: ten)</source>
            <translation>Falten, entfalten; auf einem Griff des Lineals: nächste gültige Grenze (Umschalt: zehn)</translation>
        </message>
        <message>
            <source>On a ruler handle: first and last valid boundary</source>
            <translation>Auf einem Griff des Lineals: erste und letzte gültige Grenze</translation>
        </message>
        <message>
            <source>In Compare: mark the row as A or B; Enter opens it</source>
            <translation>Im Vergleich: die Zeile als A oder B merken; Eingabe öffnet sie</translation>
        </message>
        <message>
            <source>In Compare: sort by the next column (Shift: the one before); turn the order round</source>
            <translation>Im Vergleich: nach der nächsten Spalte sortieren (Umschalt: nach der vorigen); die Ordnung umkehren</translation>
        </message>
        <message>
            <source>In Replay: turn by turn (Shift: ten); play</source>
            <translation>Beim Abspielen: Zug um Zug (Umschalt: zehn); abspielen</translation>
        </message>
        <message>
            <source>Action</source>
            <translation>Aktion</translation>
        </message>
        <message>
            <source>Where</source>
            <translation>Wo</translation>
        </message>
        <message>
            <source>What it does</source>
            <translation>Was sie tut</translation>
        </message>
        <message>
            <source>In one place</source>
            <translation>An einem Ort</translation>
        </message>
        <message>
            <source>Search all pages</source>
            <translation>Alle Seiten durchsuchen</translation>
        </message>
        <message>
            <source>Go to the page before (Alt+Left).</source>
            <translation>Zur vorigen Seite (Alt+Links).</translation>
        </message>
        <message>
            <source>Write this page to a file that can be printed.</source>
            <translation>Diese Seite in eine Datei schreiben, die sich drucken lässt.</translation>
        </message>
        <message>
            <source>Save as PDF</source>
            <translation>Als PDF speichern</translation>
        </message>
        <message>
            <source>Pages</source>
            <translation>Seiten</translation>
        </message>
        <message>
            <source>Save as PDF…</source>
            <translation>Als PDF speichern …</translation>
        </message>
        <message>
            <source>Copied, not opened: {link}</source>
            <translation>Kopiert, nicht geöffnet: {link}</translation>
        </message>
        <message>
            <source>No page holds these words.</source>
            <translation>Keine Seite enthält diese Wörter.</translation>
        </message>
        <message>
            <source>Saved: {path}</source>
            <translation>Gespeichert: {path}</translation>
        </message>
        <message>
            <source>Price model calls as</source>
            <translation>Modellaufrufe zum Preis von</translation>
        </message>
        <message>
            <source>What the summaries would cost, had this model written them. Nothing is called.</source>
            <translation>Was die Zusammenfassungen kosten würden, hätte dieses Modell sie geschrieben. Nichts wird gerufen.</translation>
        </message>
        <message>
            <source>Choose another name or folder.</source>
            <translation>Einen anderen Namen oder Ordner wählen.</translation>
        </message>
        <message>
            <source>Wrote {path}.</source>
            <translation>{path} geschrieben.</translation>
        </message>
        <message>
            <source>{path} could not be written.</source>
            <translation>{path} ließ sich nicht schreiben.</translation>
        </message>
        <message>
            <source>Make what is still missing.</source>
            <translation>Machen, was noch fehlt.</translation>
        </message>
        <message>
            <source>Open a transcript first: File, Open, or Ctrl O.</source>
            <translation>Zuerst ein Transkript öffnen: Datei, Öffnen, oder Strg O.</translation>
        </message>
        <message>
            <source> · stopped</source>
            <translation> · angehalten</translation>
        </message>
        <message>
            <source>Reading the transcript …</source>
            <translation>Das Transkript wird gelesen …</translation>
        </message>
        <message>
            <source>{name} in progress</source>
            <translation>{name} läuft</translation>
        </message>
        <message>
            <source>Stopped before anything was there. Go on makes it.</source>
            <translation>Angehalten, bevor etwas da war. „Weiter“ macht es.</translation>
        </message>
        <message>
            <source>{name}: working …</source>
            <translation>{name}: in Arbeit …</translation>
        </message>
        <message>
            <source>Lost</source>
            <translation>Verloren</translation>
        </message>
        <message>
            <source>Used again later, but lost</source>
            <translation>Später wieder gebraucht, aber verloren</translation>
        </message>
        <message>
            <source>In the summary, but nowhere in the source</source>
            <translation>In der Zusammenfassung, aber nirgends in der Quelle</translation>
        </message>
        <message>
            <source>Go to </source>
            <translation>Gehe zu </translation>
        </message>
        <message>
            <source>Facts</source>
            <translation>Fakten</translation>
        </message>
        <message>
            <source>Unpin {message}</source>
            <translation>{message} lösen</translation>
        </message>
        <message>
            <source>Pin {message}: keep</source>
            <translation>{message} anheften: behalten</translation>
        </message>
        <message>
            <source>pinned</source>
            <translation>angeheftet</translation>
        </message>
        <message>
            <source>{hidden:,} more are not listed</source>
            <translation>{hidden:,} weitere sind nicht aufgeführt</translation>
        </message>
        <message>
            <source>by place, first to last</source>
            <translation>nach Ort, vom ersten zum letzten</translation>
        </message>
        <message>
            <source>Fidelity by category</source>
            <translation>Treue nach Kategorie</translation>
        </message>
        <message>
            <source>Fidelity by place in the source</source>
            <translation>Treue nach Ort in der Quelle</translation>
        </message>
        <message>
            <source>{label}: {shares}. A click lists them.</source>
            <translation>{label}: {shares}. Ein Klick führt sie auf.</translation>
        </message>
        <message>
            <source>Fidelity of each tenth of the source, by tokens: {shares}.</source>
            <translation>Treue jedes Zehntels der Quelle, nach Token: {shares}.</translation>
        </message>
        <message>
            <source>Nothing has been judged yet: open a transcript.</source>
            <translation>Noch ist nichts beurteilt: ein Transkript öffnen.</translation>
        </message>
        <message>
            <source>Looking for facts in source and result…</source>
            <translation>In Quelle und Ergebnis werden Fakten gesucht …</translation>
        </message>
        <message>
            <source>weighted fidelity</source>
            <translation>gewichtete Treue</translation>
        </message>
        <message>
            <source>All facts</source>
            <translation>Alle Fakten</translation>
        </message>
        <message>
            <source>Lost only</source>
            <translation>Nur verlorene</translation>
        </message>
        <message>
            <source>Show all</source>
            <translation>Alle zeigen</translation>
        </message>
        <message>
            <source>{name}, worst first</source>
            <translation>{name}, schlimmste zuerst</translation>
        </message>
        <message>
            <source>{name}: none</source>
            <translation>{name}: keine</translation>
        </message>
        <message>
            <source>Find in message</source>
            <translation>In Nachricht suchen</translation>
        </message>
        <message>
            <source>Previous (Shift Enter)</source>
            <translation>Zurück (Umschalt Eingabe)</translation>
        </message>
        <message>
            <source>Next (Enter)</source>
            <translation>Weiter (Eingabe)</translation>
        </message>
        <message>
            <source>Close (Esc)</source>
            <translation>Schließen (Esc)</translation>
        </message>
        <message>
            <source>{current:,} of {total:,}</source>
            <translation>{current:,} von {total:,}</translation>
        </message>
        <message>
            <source>folded again</source>
            <translation>wieder gefaltet</translation>
        </message>
        <message>
            <source>Fidelity after each of several compactions</source>
            <translation>Treue nach jeder von mehreren Verdichtungen</translation>
        </message>
        <message>
            <source>Compacts the result again and again, to see what is left of the facts each time.</source>
            <translation>Verdichtet das Ergebnis immer wieder, um zu sehen, was jeweils von den Fakten bleibt.</translation>
        </message>
        <message>
            <source>Fold it again…</source>
            <translation>Noch einmal falten …</translation>
        </message>
        <message>
            <source>Folding {number} of {count}…</source>
            <translation>Faltung {number} von {count} …</translation>
        </message>
        <message>
            <source>Inspector</source>
            <translation>Inspektor</translation>
        </message>
        <message>
            <source>Lint {count:,}</source>
            <translation>Lint {count:,}</translation>
        </message>
        <message>
            <source>API to check for</source>
            <translation>API, für die geprüft wird</translation>
        </message>
        <message>
            <source>Which API the result is checked for</source>
            <translation>Für welche API das Ergebnis geprüft wird</translation>
        </message>
        <message>
            <source>Findings</source>
            <translation>Befunde</translation>
        </message>
        <message>
            <source>Check for</source>
            <translation>Prüfen für</translation>
        </message>
        <message>
            <source>Nothing has been checked yet: open a transcript.</source>
            <translation>Noch ist nichts geprüft: ein Transkript öffnen.</translation>
        </message>
        <message>
            <source>No findings for {label}, neither before nor after.</source>
            <translation>Keine Befunde für {label}, weder vorher noch nachher.</translation>
        </message>
        <message>
            <source>Nothing is selected. A click on a message shows it here.</source>
            <translation>Nichts ist gewählt. Ein Klick auf eine Nachricht zeigt sie hier.</translation>
        </message>
        <message>
            <source>Wrap</source>
            <translation>Umbruch</translation>
        </message>
        <message>
            <source>Wrap long lines at the width of the panel</source>
            <translation>Lange Zeilen an der Breite der Leiste umbrechen</translation>
        </message>
        <message>
            <source>Copy the selected text, or all of the message</source>
            <translation>Den gewählten Text oder die ganze Nachricht kopieren</translation>
        </message>
        <message>
            <source>Find in message (Ctrl F)</source>
            <translation>In Nachricht suchen (Strg F)</translation>
        </message>
        <message>
            <source>Show the JSON as the file has it</source>
            <translation>Das JSON zeigen, wie es in der Datei steht</translation>
        </message>
        <message>
            <source>Copy</source>
            <translation>Kopieren</translation>
        </message>
        <message>
            <source>Find</source>
            <translation>Suchen</translation>
        </message>
        <message>
            <source>{shown} of {total} are shown.</source>
            <translation>{shown} von {total} werden gezeigt.</translation>
        </message>
        <message>
            <source>Show all {total}</source>
            <translation>Alle {total} zeigen</translation>
        </message>
        <message>
            <source>Click one to see where it comes from.</source>
            <translation>Ein Klick zeigt, woher einer kommt.</translation>
        </message>
        <message>
            <source>Nothing is selected. A click on a message or a cut says here why it is as it is.</source>
            <translation>Nichts ist gewählt. Ein Klick auf eine Nachricht oder einen Schnitt sagt hier, warum es so ist.</translation>
        </message>
        <message>
            <source>This message neither calls a tool nor is the result of one.</source>
            <translation>Diese Nachricht ruft kein Tool und ist auch nicht das Ergebnis eines Tools.</translation>
        </message>
        <message>
            <source>No change after this one.</source>
            <translation>Keine Änderung nach dieser.</translation>
        </message>
        <message>
            <source>No change before this one.</source>
            <translation>Keine Änderung vor dieser.</translation>
        </message>
        <message>
            <source>No mark there; M marks a message.</source>
            <translation>Dort ist keine Markierung; M markiert eine Nachricht.</translation>
        </message>
        <message>
            <source>No marks yet; M makes one.</source>
            <translation>Noch keine Markierungen; M setzt eine.</translation>
        </message>
        <message>
            <source>Mark {place} of {count}</source>
            <translation>Markierung {place} von {count}</translation>
        </message>
        <message>
            <source>{figure} {word}. Click to hide or show them, Alt-click for only them.</source>
            <translation>{figure} {word}. Ein Klick verbirgt oder zeigt sie, mit Alt nur sie.</translation>
        </message>
        <message>
            <source>&lt;p&gt;&lt;b&gt;Conditions, all of which have to hold&lt;/b&gt;&lt;/p&gt;
&lt;p&gt;tool:bash · tool:read* · speaker:ai · fate:dropped · kind:call · block:thinking · id:toolu_01&lt;/p&gt;
&lt;p&gt;error · marked · tokens&amp;gt;2000 · tokens&amp;lt;=2k · #12-40&lt;/p&gt;
&lt;p&gt;word, or "some words": anywhere in the whole message, whatever the case&lt;/p&gt;
&lt;p&gt;-error: not · OR between alternatives&lt;/p&gt;
&lt;p&gt;Enter goes to the list, Esc closes and shows all.&lt;/p&gt;</source>
            <translation>&lt;p&gt;&lt;b&gt;Bedingungen, die alle gelten müssen&lt;/b&gt;&lt;/p&gt;
&lt;p&gt;tool:bash · tool:read* · speaker:ai · fate:dropped · kind:call · block:thinking · id:toolu_01&lt;/p&gt;
&lt;p&gt;error · marked · tokens&amp;gt;2000 · tokens&amp;lt;=2k · #12-40&lt;/p&gt;
&lt;p&gt;wort oder "einige Wörter": irgendwo in der ganzen Nachricht, groß oder klein&lt;/p&gt;
&lt;p&gt;-error: nicht · OR zwischen Alternativen&lt;/p&gt;
&lt;p&gt;Eingabe geht zur Liste, Esc schließt und zeigt alle.&lt;/p&gt;</translation>
        </message>
        <message>
            <source>Filter messages</source>
            <translation>Nachrichten filtern</translation>
        </message>
        <message>
            <source>What can be asked for</source>
            <translation>Wonach sich fragen lässt</translation>
        </message>
        <message>
            <source>Close and show all messages (Esc)</source>
            <translation>Schließen und alle Nachrichten zeigen (Esc)</translation>
        </message>
        <message>
            <source>Close the filter</source>
            <translation>Den Filter schließen</translation>
        </message>
        <message>
            <source>Columns: number, speaker, message, tokens</source>
            <translation>Spalten: Nummer, Sprecher, Nachricht, Token</translation>
        </message>
        <message>
            <source>message</source>
            <translation>Nachricht</translation>
        </message>
        <message>
            <source>from</source>
            <translation>von</translation>
        </message>
        <message>
            <source>was</source>
            <translation>war</translation>
        </message>
        <message>
            <source>{tokens} tokens</source>
            <translation>{tokens} Token</translation>
        </message>
        <message>
            <source>Overview of all messages</source>
            <translation>Überblick über alle Nachrichten</translation>
        </message>
        <message>
            <source>All messages of this list: fates, errors, marks and matches. Click to go there.</source>
            <translation>Alle Nachrichten dieser Liste: Verbleib, Fehler, Markierungen und Treffer. Ein Klick führt hin.</translation>
        </message>
        <message>
            <source>Which list to show</source>
            <translation>Welche Liste gezeigt wird</translation>
        </message>
        <message>
            <source>Ribbons from before to after</source>
            <translation>Bänder von vorher nach nachher</translation>
        </message>
        <message>
            <source>What became of the messages in sight; the key O goes to the other end of one.</source>
            <translation>Was aus den sichtbaren Nachrichten wurde; die Taste O geht ans andere Ende.</translation>
        </message>
        <message>
            <source>no file open</source>
            <translation>keine Datei offen</translation>
        </message>
        <message>
            <source>Open recent</source>
            <translation>Zuletzt geöffnet</translation>
        </message>
        <message>
            <source>No file was opened yet</source>
            <translation>Noch keine Datei geöffnet</translation>
        </message>
        <message>
            <source>Details</source>
            <translation>Details</translation>
        </message>
        <message>
            <source>Copy the details; keys, tokens and mail addresses are written over</source>
            <translation>Die Details kopieren; Schlüssel, Token und Mailadressen werden überschrieben</translation>
        </message>
        <message>
            <source>Close this message</source>
            <translation>Diese Meldung schließen</translation>
        </message>
        <message>
            <source>Copy details</source>
            <translation>Details kopieren</translation>
        </message>
        <message>
            <source>Copied</source>
            <translation>Kopiert</translation>
        </message>
        <message>
            <source>{count} more</source>
            <translation>{count} weitere</translation>
        </message>
        <message>
            <source>Questions</source>
            <translation>Fragen</translation>
        </message>
        <message>
            <source>Questions asked</source>
            <translation>Gestellte Fragen</translation>
        </message>
        <message>
            <source>Work in progress</source>
            <translation>Arbeit läuft</translation>
        </message>
        <message>
            <source>not saved</source>
            <translation>nicht gespeichert</translation>
        </message>
        <message>
            <source>Insert</source>
            <translation>Einfügen</translation>
        </message>
        <message>
            <source>not in the text</source>
            <translation>nicht im Text</translation>
        </message>
        <message>
            <source>Insert {name}</source>
            <translation>{name} einfügen</translation>
        </message>
        <message>
            <source>Your text differs from it.</source>
            <translation>Der eigene Text weicht davon ab.</translation>
        </message>
        <message>
            <source>Delete the override of this level?</source>
            <translation>Die Überschreibung dieser Ebene löschen?</translation>
        </message>
        <message>
            <source>The next level that exists is used then.</source>
            <translation>Dann gilt die nächste Ebene, die es gibt.</translation>
        </message>
        <message>
            <source>Keep mine</source>
            <translation>Eigenen behalten</translation>
        </message>
        <message>
            <source>Take theirs</source>
            <translation>Anderen nehmen</translation>
        </message>
        <message>
            <source>This text is not saved.</source>
            <translation>Dieser Text ist nicht gespeichert.</translation>
        </message>
        <message>
            <source>Levels with one say so in the list.</source>
            <translation>Ebenen mit einem sagen es in der Liste.</translation>
        </message>
        <message>
            <source>Prompts</source>
            <translation>Prompts</translation>
        </message>
        <message>
            <source>Delete it</source>
            <translation>Löschen</translation>
        </message>
        <message>
            <source>Keep it</source>
            <translation>Behalten</translation>
        </message>
        <message>
            <source>Go on editing</source>
            <translation>Weiter bearbeiten</translation>
        </message>
        <message>
            <source>Close without saving</source>
            <translation>Ohne Speichern schließen</translation>
        </message>
        <message>
            <source>{unsaved} texts are not saved.</source>
            <translation>{unsaved} Texte sind nicht gespeichert.</translation>
        </message>
        <message>
            <source>Go to line {line}</source>
            <translation>Gehe zu Zeile {line}</translation>
        </message>
        <message>
            <source>Text</source>
            <translation>Text</translation>
        </message>
        <message>
            <source>The text of this level.</source>
            <translation>Der Text dieser Ebene.</translation>
        </message>
        <message>
            <source>Changes</source>
            <translation>Änderungen</translation>
        </message>
        <message>
            <source>What it changes against the level below.</source>
            <translation>Was er gegen die Ebene darunter ändert.</translation>
        </message>
        <message>
            <source>What a model would be sent for this conversation.</source>
            <translation>Was ein Modell für dieses Gespräch gesendet bekäme.</translation>
        </message>
        <message>
            <source>Back to the text of the file (Ctrl Z takes it back)</source>
            <translation>Zurück zum Text der Datei (Strg Z nimmt es zurück)</translation>
        </message>
        <message>
            <source>Write this level's file (Ctrl S)</source>
            <translation>Die Datei dieser Ebene schreiben (Strg S)</translation>
        </message>
        <message>
            <source>any provider</source>
            <translation>jeder Anbieter</translation>
        </message>
        <message>
            <source>any model</source>
            <translation>jedes Modell</translation>
        </message>
        <message>
            <source>as seen by</source>
            <translation>gesehen von</translation>
        </message>
        <message>
            <source>{name} whose chain is shown. Another one can be looked at before it is used.</source>
            <translation>{name}, dessen Kette gezeigt wird. Auch ein anderer lässt sich ansehen, bevor er benutzt wird.</translation>
        </message>
        <message>
            <source>read-only: choose a level above it to override it</source>
            <translation>nur lesbar: eine Ebene darüber wählen, um ihn zu überschreiben</translation>
        </message>
        <message>
            <source>Text of the prompt</source>
            <translation>Text des Prompts</translation>
        </message>
        <message>
            <source>no file yet</source>
            <translation>noch keine Datei</translation>
        </message>
        <message>
            <source>No level is below.</source>
            <translation>Darunter ist keine Ebene.</translation>
        </message>
        <message>
            <source>line {line} · </source>
            <translation>Zeile {line} · </translation>
        </message>
        <message>
            <source>will not be sent until you press Compact</source>
            <translation>wird erst mit „Verdichten“ gesendet</translation>
        </message>
        <message>
            <source>Create override here</source>
            <translation>Hier überschreiben</translation>
        </message>
        <message>
            <source>Delete override…</source>
            <translation>Überschreibung löschen …</translation>
        </message>
        <message>
            <source>Save the text as the file of this level</source>
            <translation>Den Text als Datei dieser Ebene speichern</translation>
        </message>
        <message>
            <source>Delete the file of this level, so that the next one is used</source>
            <translation>Die Datei dieser Ebene löschen, sodass die nächste gilt</translation>
        </message>
        <message>
            <source>The first that exists is used.</source>
            <translation>Die erste, die es gibt, gilt.</translation>
        </message>
        <message>
            <source>Sections the strategy asks for</source>
            <translation>Abschnitte, die die Strategie verlangt</translation>
        </message>
        <message>
            <source>Placeholders</source>
            <translation>Platzhalter</translation>
        </message>
        <message>
            <source>Where the text comes from</source>
            <translation>Woher der Text kommt</translation>
        </message>
        <message>
            <source>On this conversation</source>
            <translation>Auf dieses Gespräch</translation>
        </message>
        <message>
            <source>Strategies at the turn</source>
            <translation>Strategien beim Zug</translation>
        </message>
        <message>
            <source>Compactions</source>
            <translation>Verdichtungen</translation>
        </message>
        <message>
            <source>turn {turn:,}, {name}: {text}</source>
            <translation>Zug {turn:,}, {name}: {text}</translation>
        </message>
        <message>
            <source>turn {turn:,}</source>
            <translation>Zug {turn:,}</translation>
        </message>
        <message>
            <source>Choose what is replayed.</source>
            <translation>Wählen, was abgespielt wird.</translation>
        </message>
        <message>
            <source>Previous compaction of this strategy</source>
            <translation>Vorige Verdichtung dieser Strategie</translation>
        </message>
        <message>
            <source>One turn back</source>
            <translation>Einen Zug zurück</translation>
        </message>
        <message>
            <source>Play</source>
            <translation>Abspielen</translation>
        </message>
        <message>
            <source>Let the playhead run; Space in the plot does it too.</source>
            <translation>Den Zeiger laufen lassen; die Leertaste im Bild tut es auch.</translation>
        </message>
        <message>
            <source>One turn on</source>
            <translation>Einen Zug weiter</translation>
        </message>
        <message>
            <source>Next compaction of this strategy</source>
            <translation>Nächste Verdichtung dieser Strategie</translation>
        </message>
        <message>
            <source>Turn</source>
            <translation>Zug</translation>
        </message>
        <message>
            <source>Speed</source>
            <translation>Tempo</translation>
        </message>
        <message>
            <source>Open this turn</source>
            <translation>Diesen Zug öffnen</translation>
        </message>
        <message>
            <source>Show what the chosen strategy had made of the session by this turn, in Inspect.</source>
            <translation>Unter „Untersuchen“ zeigen, was die gewählte Strategie bis zu diesem Zug aus der Sitzung gemacht hatte.</translation>
        </message>
        <message>
            <source>Context size, turn by turn</source>
            <translation>Größe des Kontexts, Zug um Zug</translation>
        </message>
        <message>
            <source>Pause</source>
            <translation>Pause</translation>
        </message>
        <message>
            <source>turn {turn:,} of {turns:,}</source>
            <translation>Zug {turn:,} von {turns:,}</translation>
        </message>
        <message>
            <source>{name} ends at {tokens:,} tokens</source>
            <translation>{name} endet bei {tokens:,} Token</translation>
        </message>
        <message>
            <source>{name}: over the limit from turn {turn:,}</source>
            <translation>{name}: über dem Limit ab Zug {turn:,}</translation>
        </message>
        <message>
            <source>turn {count}</source>
            <translation>Zug {count}</translation>
        </message>
        <message>
            <source>None: no strategy came to its trigger.</source>
            <translation>Keine: Keine Strategie kam an ihren Auslöser.</translation>
        </message>
        <message>
            <source>None so far.</source>
            <translation>Bisher keine.</translation>
        </message>
        <message>
            <source>{line} at turn {turn}</source>
            <translation>{line} bei Zug {turn}</translation>
        </message>
        <message>
            <source>Show the request</source>
            <translation>Die Anfrage zeigen</translation>
        </message>
        <message>
            <source>Summary so far</source>
            <translation>Zusammenfassung bisher</translation>
        </message>
        <message>
            <source>Summary received</source>
            <translation>Zusammenfassung erhalten</translation>
        </message>
        <message>
            <source>No run yet: Compact makes one</source>
            <translation>Noch kein Lauf: „Verdichten“ macht einen</translation>
        </message>
        <message>
            <source>Runs</source>
            <translation>Läufe</translation>
        </message>
        <message>
            <source>Open</source>
            <translation>Öffnen</translation>
        </message>
        <message>
            <source>Open this session (Enter).</source>
            <translation>Diese Sitzung öffnen (Eingabe).</translation>
        </message>
        <message>
            <source>No session fits.</source>
            <translation>Keine Sitzung passt.</translation>
        </message>
        <message>
            <source>Clear the search, or choose all agents.</source>
            <translation>Die Suche leeren oder alle Agenten wählen.</translation>
        </message>
        <message>
            <source>Look for transcripts in a folder</source>
            <translation>In einem Ordner nach Transkripten suchen</translation>
        </message>
        <message>
            <source>No transcripts were found in {name}.</source>
            <translation>In {name} wurden keine Transkripte gefunden.</translation>
        </message>
        <message>
            <source>Search first prompts, projects, file names</source>
            <translation>Erste Prompts, Projekte, Dateinamen durchsuchen</translation>
        </message>
        <message>
            <source>All words must be there (Ctrl F).</source>
            <translation>Alle Wörter müssen vorkommen (Strg F).</translation>
        </message>
        <message>
            <source>only with a recorded compaction</source>
            <translation>nur mit aufgezeichneter Verdichtung</translation>
        </message>
        <message>
            <source>Look for transcripts in another folder.</source>
            <translation>In einem anderen Ordner nach Transkripten suchen.</translation>
        </message>
        <message>
            <source>Nothing leaves this machine.</source>
            <translation>Nichts verlässt diesen Rechner.</translation>
        </message>
        <message>
            <source>Agents</source>
            <translation>Agenten</translation>
        </message>
        <message>
            <source>Open folder…</source>
            <translation>Ordner öffnen …</translation>
        </message>
        <message>
            <source>{count:,} could not be read.</source>
            <translation>{count:,} waren nicht lesbar.</translation>
        </message>
        <message>
            <source>only with a recorded compaction ({count:,})</source>
            <translation>nur mit aufgezeichneter Verdichtung ({count:,})</translation>
        </message>
        <message>
            <source>All agents</source>
            <translation>Alle Agenten</translation>
        </message>
        <message>
            <source>Sessions</source>
            <translation>Sitzungen</translation>
        </message>
        <message>
            <source>Copy the whole report; keys, tokens and mail addresses are written over</source>
            <translation>Den ganzen Bericht kopieren; Schlüssel, Token und Mailadressen werden überschrieben</translation>
        </message>
        <message>
            <source>The file holds one conversation.</source>
            <translation>Die Datei enthält ein Gespräch.</translation>
        </message>
        <message>
            <source>The session has one branch.</source>
            <translation>Die Sitzung hat einen Zweig.</translation>
        </message>
        <message>
            <source>Conversations of {name}</source>
            <translation>Gespräche in {name}</translation>
        </message>
        <message>
            <source>Branches of {name}</source>
            <translation>Zweige von {name}</translation>
        </message>
        <message>
            <source>Opened as {format}: {why}</source>
            <translation>Geöffnet als {format}: {why}</translation>
        </message>
        <message>
            <source>Find by number, words or kind</source>
            <translation>Nach Nummer, Wörtern oder Art suchen</translation>
        </message>
        <message>
            <source>{count:,} in all</source>
            <translation>{count:,} insgesamt</translation>
        </message>
        <message>
            <source>{count:,} found of {many}</source>
            <translation>{count:,} gefunden von {many}</translation>
        </message>
        <message>
            <source>Read so far</source>
            <translation>Bisher gelesen</translation>
        </message>
        <message>
            <source>Stop here and show what was read</source>
            <translation>Hier anhalten und zeigen, was gelesen ist</translation>
        </message>
        <message>
            <source>Reading {name}</source>
            <translation>{name} wird gelesen</translation>
        </message>
        <message>
            <source>No transcript at hand?</source>
            <translation>Kein Transkript zur Hand?</translation>
        </message>
        <message>
            <source>New here? Each of these shows one thing.</source>
            <translation>Neu hier? Jedes davon zeigt eine Sache.</translation>
        </message>
        <message>
            <source>Drop a transcript here. The format is found by content.</source>
            <translation>Ein Transkript hier ablegen. Das Format wird am Inhalt erkannt.</translation>
        </message>
        <message>
            <source>Recent</source>
            <translation>Zuletzt</translation>
        </message>
        <message>
            <source>See where a conversation folds</source>
            <translation>Sehen, wo ein Gespräch sich faltet</translation>
        </message>
        <message>
            <source>Open a transcript of an agent to see what a compaction keeps, and why.</source>
            <translation>Ein Transkript eines Agenten öffnen, um zu sehen, was eine Verdichtung behält, und warum.</translation>
        </message>
        <message>
            <source>Ctrl O opens, F1 explains. Nothing leaves this machine.</source>
            <translation>Strg O öffnet, F1 erklärt. Nichts verlässt diesen Rechner.</translation>
        </message>
        <message>
            <source>Show me, step by step</source>
            <translation>Schritt für Schritt zeigen</translation>
        </message>
        <message>
            <source>Sessions found</source>
            <translation>Gefundene Sitzungen</translation>
        </message>
        <message>
            <source>Files that you open are listed here.</source>
            <translation>Geöffnete Dateien stehen hier.</translation>
        </message>
        <message>
            <source>Open {name}</source>
            <translation>{name} öffnen</translation>
        </message>
        <message>
            <source>Run the strategy once for each of these values.</source>
            <translation>Die Strategie für jeden dieser Werte einmal laufen lassen.</translation>
        </message>
        <message>
            <source>Vary</source>
            <translation>Ändern</translation>
        </message>
        <message>
            <source>and</source>
            <translation>und</translation>
        </message>
        <message>
            <source>FROM:TO:STEP, or values with commas between. Enter runs it.</source>
            <translation>VON:BIS:SCHRITT, oder Werte mit Kommas dazwischen. Eingabe startet.</translation>
        </message>
        <message>
            <source>First setting</source>
            <translation>Erste Einstellung</translation>
        </message>
        <message>
            <source>Second setting</source>
            <translation>Zweite Einstellung</translation>
        </message>
        <message>
            <source>Values of the first</source>
            <translation>Werte der ersten</translation>
        </message>
        <message>
            <source>Values of the second</source>
            <translation>Werte der zweiten</translation>
        </message>
        <message>
            <source>nothing else</source>
            <translation>sonst nichts</translation>
        </message>
        <message>
            <source>This strategy has no setting to sweep. Choose another one in the toolbar.</source>
            <translation>Diese Strategie hat keine Einstellung für eine Reihe. Oben eine andere wählen.</translation>
        </message>
        <message>
            <source>Use this point</source>
            <translation>Diesen Punkt benutzen</translation>
        </message>
        <message>
            <source>Set these values for the session and look at the result in Inspect.</source>
            <translation>Diese Werte für die Sitzung setzen und das Ergebnis unter „Untersuchen“ ansehen.</translation>
        </message>
        <message>
            <source>Colours show  </source>
            <translation>Farben zeigen  </translation>
        </message>
        <message>
            <source>Choose a point.</source>
            <translation>Einen Punkt wählen.</translation>
        </message>
        <message>
            <source>Tokens</source>
            <translation>Token</translation>
        </message>
        <message>
            <source>tokens after (fewer is better)</source>
            <translation>Token nachher (weniger ist besser)</translation>
        </message>
        <message>
            <source>as it is set</source>
            <translation>wie eingestellt</translation>
        </message>
        <message>
            <source>{label} (to the right)</source>
            <translation>{label} (nach rechts)</translation>
        </message>
        <message>
            <source>Points</source>
            <translation>Punkte</translation>
        </message>
        <message>
            <source>Scope: which part of the transcript is the history</source>
            <translation>Umfang: welcher Teil des Transkripts der Verlauf ist</translation>
        </message>
        <message>
            <source>Strategy: how the history is made shorter</source>
            <translation>Strategie: wie der Verlauf kürzer wird</translation>
        </message>
        <message>
            <source>Model: whose context limit counts</source>
            <translation>Modell: wessen Kontextlimit zählt</translation>
        </message>
        <message>
            <source>Profile: the model that writes summaries, and its settings</source>
            <translation>Profil: das Modell, das Zusammenfassungen schreibt, und seine Einstellungen</translation>
        </message>
        <message>
            <source>{label}, percent</source>
            <translation>{label}, Prozent</translation>
        </message>
        <message>
            <source>Take back the last change of a setting (Ctrl Z)</source>
            <translation>Die letzte Änderung einer Einstellung zurücknehmen (Strg Z)</translation>
        </message>
        <message>
            <source>Effect of the last change</source>
            <translation>Wirkung der letzten Änderung</translation>
        </message>
        <message>
            <source>Reset</source>
            <translation>Zurücksetzen</translation>
        </message>
        <message>
            <source>{layer}, profile {profile}</source>
            <translation>{layer}, Profil {profile}</translation>
        </message>
        <message>
            <source>{layer}: click for all three values and Reset</source>
            <translation>{layer}: ein Klick zeigt alle drei Werte und „Zurücksetzen“</translation>
        </message>
        <message>
            <source>{label}: values by layer</source>
            <translation>{label}: Werte nach Ebene</translation>
        </message>
        <message>
            <source>Session values go with the window, saved ones stay, defaults are built in.</source>
            <translation>Werte der Sitzung gehen mit dem Fenster, gespeicherte bleiben, Standardwerte sind eingebaut.</translation>
        </message>
        <message>
            <source>Values come from: {layers}</source>
            <translation>Werte kommen von: {layers}</translation>
        </message>
        <message>
            <source>All…</source>
            <translation>Alle …</translation>
        </message>
        <message>
            <source>All settings, and where they are saved (Ctrl ,)</source>
            <translation>Alle Einstellungen, und wo sie gespeichert sind (Strg ,)</translation>
        </message>
        <message>
            <source>Tuning</source>
            <translation>Abstimmung</translation>
        </message>
        <message>
            <source>Edit…</source>
            <translation>Bearbeiten …</translation>
        </message>
        <message>
            <source>Edit {label}</source>
            <translation>{label} bearbeiten</translation>
        </message>
        <message>
            <source>session</source>
            <comment>layer</comment>
            <translation>Sitzung</translation>
        </message>
        <message>
            <source>saved</source>
            <comment>layer</comment>
            <translation>gespeichert</translation>
        </message>
        <message>
            <source>default</source>
            <comment>layer</comment>
            <translation>Standard</translation>
        </message>
    </context>
</TS>
