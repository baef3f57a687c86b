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
            <source>Probes…</source>
            <translation>Fragen …</translation>
        </message>
        <message>
            <source>Ask a model what it still knows of what was compacted.</source>
            <translation>Ein Modell fragen, was es vom Verdichteten noch weiß.</translation>
        </message>
        <message>
            <source>Fold it again…</source>
            <translation>Noch einmal falten …</translation>
        </message>
        <message>
            <source>Compact the result again and again, to see what is left of the facts each time.</source>
            <translation>Das Ergebnis immer wieder verdichten, um zu sehen, was jeweils von den Fakten bleibt.</translation>
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
            <source>No agent: the history as it is.</source>
            <translation>Kein Agent: der Verlauf, wie er ist.</translation>
        </message>
        <message>
            <source>As Claude Code compacts: everything becomes one summary in nine sections, then the files in use and the open tasks come back.</source>
            <translation>Wie Claude Code verdichtet: Alles wird eine Zusammenfassung in neun Abschnitten, dann kommen die benutzten Dateien und offenen Aufgaben zurück.</translation>
        </message>
        <message>
            <source>code.claude.com/docs/en/context-window for what comes back; numbers and sections from analyses of the program by others.</source>
            <translation>code.claude.com/docs/en/context-window für das, was zurückkommt; Zahlen und Abschnitte aus Analysen des Programms durch andere.</translation>
        </message>
        <message>
            <source>Clears all but the 5 newest results of the common tools; the agent does so after a pause.</source>
            <translation>Leert alle außer den 5 neuesten Ergebnissen der üblichen Tools; der Agent tut es nach einer Pause.</translation>
        </message>
        <message>
            <source>Analyses of the program by others; off by default there.</source>
            <translation>Analysen des Programms durch andere; dort ab Werk aus.</translation>
        </message>
        <message>
            <source>As Codex compacts by itself: the newest words of the person stay up to 20,000 tokens, all else becomes a handoff note after them.</source>
            <translation>Wie Codex von selbst verdichtet: Die neuesten Worte der Person bleiben bis 20,000 Token, alles andere wird danach eine Übergabenotiz.</translation>
        </message>
        <message>
            <source>openai/codex: codex-rs/core/src/compact.rs, templates/compact, codex-rs/protocol/src/openai_models.rs.</source>
            <translation>openai/codex: codex-rs/core/src/compact.rs, templates/compact, codex-rs/protocol/src/openai_models.rs.</translation>
        </message>
        <message>
            <source>As Gemini CLI compresses: the newest 30 % of the characters stay, the rest becomes a state snapshot that a second call checks.</source>
            <translation>Wie Gemini CLI verdichtet: Die neuesten 30 % der Zeichen bleiben, der Rest wird ein Zustandsbild, das ein zweiter Aufruf prüft.</translation>
        </message>
        <message>
            <source>google-gemini/gemini-cli: packages/core/src/context/chatCompressionService.ts, packages/core/src/prompts/snippets.ts.</source>
            <translation>google-gemini/gemini-cli: packages/core/src/context/chatCompressionService.ts, packages/core/src/prompts/snippets.ts.</translation>
        </message>
        <message>
            <source>Leaves 250 characters at both ends of older tool output, once 30,000 tokens of it are there.</source>
            <translation>Lässt 250 Zeichen an beiden Enden älterer Tool-Ausgaben, sobald es 30,000 Token davon gibt.</translation>
        </message>
        <message>
            <source>google-gemini/gemini-cli: packages/core/src/context/toolOutputMaskingService.ts.</source>
            <translation>google-gemini/gemini-cli: packages/core/src/context/toolOutputMaskingService.ts.</translation>
        </message>
        <message>
            <source>Clears tool output beyond the newest 40,000 tokens, once 20,000 tokens of it are there.</source>
            <translation>Leert Tool-Ausgaben jenseits der neuesten 40,000 Token, sobald es 20,000 Token davon gibt.</translation>
        </message>
        <message>
            <source>anomalyco/opencode: packages/opencode/src/session/compaction.ts; on by default in some versions, off in others.</source>
            <translation>anomalyco/opencode: packages/opencode/src/session/compaction.ts; ab Werk an in manchen Versionen, aus in anderen.</translation>
        </message>
        <message>
            <source>As opencode 2 compacts: one checkpoint message holds a summary under headings and the newest exchanges as text, from a message of the person.</source>
            <translation>Wie opencode 2 verdichtet: Eine Nachricht hält eine Zusammenfassung unter Überschriften und die neuesten Wechsel als Text, ab einer Nachricht der Person.</translation>
        </message>
        <message>
            <source>anomalyco/opencode: packages/core/src/session/compaction.ts, packages/core/src/session/runner/to-llm-message.ts.</source>
            <translation>anomalyco/opencode: packages/core/src/session/compaction.ts, packages/core/src/session/runner/to-llm-message.ts.</translation>
        </message>
        <message>
            <source>Clears the results of tools but for the 3 newest.</source>
            <translation>Leert die Ergebnisse von Tools bis auf die 3 neuesten.</translation>
        </message>
        <message>
            <source>platform.claude.com/docs/en/build-with-claude/context-editing.</source>
            <translation>platform.claude.com/docs/en/build-with-claude/context-editing.</translation>
        </message>
        <message>
            <source>Drops older work; what a person typed and the last 3 texts of the model stay.</source>
            <translation>Verwirft ältere Arbeit; was eine Person tippte und die letzten 3 Texte des Modells bleiben.</translation>
        </message>
        <message>
            <source>cline/cline: sdk/packages/core/src/extensions/context/basic-compaction.ts.</source>
            <translation>cline/cline: sdk/packages/core/src/extensions/context/basic-compaction.ts.</translation>
        </message>
        <message>
            <source>As goose compacts: everything becomes one summary, whose request loses results of tools from the middle until it fits; the newest words of the person follow.</source>
            <translation>Wie goose verdichtet: Alles wird eine Zusammenfassung, deren Anfrage von der Mitte her Tool-Ergebnisse verliert, bis sie passt; die neuesten Worte der Person folgen.</translation>
        </message>
        <message>
            <source>block/goose: crates/goose/src/context_mgmt/mod.rs, crates/goose/src/prompts/compaction.md.</source>
            <translation>block/goose: crates/goose/src/context_mgmt/mod.rs, crates/goose/src/prompts/compaction.md.</translation>
        </message>
        <message>
            <source>As Pi compacts: the newest 20,000 tokens stay, the rest becomes a checkpoint with lists of the files read and changed.</source>
            <translation>Wie Pi verdichtet: Die neuesten 20,000 Token bleiben, der Rest wird ein Haltepunkt mit Listen der gelesenen und geänderten Dateien.</translation>
        </message>
        <message>
            <source>earendil-works/pi: packages/coding-agent/src/core/compaction.</source>
            <translation>earendil-works/pi: packages/coding-agent/src/core/compaction.</translation>
        </message>
        <message>
            <source>As OpenHands condenses: the first two messages and the newest stay so that half remain, the middle becomes a state under ten headings.</source>
            <translation>Wie OpenHands verdichtet: Die ersten zwei und die neuesten Nachrichten bleiben, sodass die Hälfte übrig ist; die Mitte wird ein Stand unter zehn Überschriften.</translation>
        </message>
        <message>
            <source>OpenHands/software-agent-sdk: openhands-sdk/openhands/sdk/context/condenser, LLMSummarizingCondenser.</source>
            <translation>OpenHands/software-agent-sdk: openhands-sdk/openhands/sdk/context/condenser, LLMSummarizingCondenser.</translation>
        </message>
        <message>
            <source>Puts one line with its length in place of every result of a tool but the 10 newest.</source>
            <translation>Setzt an die Stelle jedes Tool-Ergebnisses außer den 10 neuesten eine Zeile mit seiner Länge.</translation>
        </message>
        <message>
            <source>SWE-agent: sweagent/agent/history_processors.py; keep 10 as in arXiv 2508.21433v3.</source>
            <translation>SWE-agent: sweagent/agent/history_processors.py; 10 behalten wie in arXiv 2508.21433v3.</translation>
        </message>
        <message>
            <source>As LangChain's summarization middleware: the newest 20 messages stay, and of the rest only the newest 4,000 tokens are read for the summary.</source>
            <translation>Wie LangChains Middleware zum Zusammenfassen: Die neuesten 20 Nachrichten bleiben, und vom Rest werden nur die neuesten 4,000 Token für die Zusammenfassung gelesen.</translation>
        </message>
        <message>
            <source>langchain-ai/langchain: langchain/agents/middleware/summarization.py.</source>
            <translation>langchain-ai/langchain: langchain/agents/middleware/summarization.py.</translation>
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
            <translation>Ein Datensatz mit einem Gespräch aus „from“ und „value“, oder der Datensatz der Quelle mit dem geänderten Gespräch.</translation>
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
            <source>constraint</source>
            <translation>Vorgabe</translation>
        </message>
        <message>
            <source>file modified</source>
            <translation>geänderte Datei</translation>
        </message>
        <message>
            <source>error</source>
            <translation>Fehler</translation>
        </message>
        <message>
            <source>path</source>
            <translation>Pfad</translation>
        </message>
        <message>
            <source>todo</source>
            <translation>Aufgabe</translation>
        </message>
        <message>
            <source>decision</source>
            <translation>Entscheidung</translation>
        </message>
        <message>
            <source>identifier</source>
            <translation>Bezeichner</translation>
        </message>
        <message>
            <source>number</source>
            <translation>Zahl</translation>
        </message>
        <message>
            <source>url</source>
            <translation>URL</translation>
        </message>
        <message>
            <source>command</source>
            <translation>Befehl</translation>
        </message>
        <message>
            <source>user message</source>
            <translation>Nachricht der Person</translation>
        </message>
        <message>
            <source>code</source>
            <translation>Code</translation>
        </message>
        <message>
            <source>artifact</source>
            <translation>Datei</translation>
        </message>
        <message>
            <source>recall</source>
            <translation>Erinnerung</translation>
        </message>
        <message>
            <source>continuation</source>
            <translation>Fortsetzung</translation>
        </message>
        <message>
            <source>negative</source>
            <translation>Gegenprobe</translation>
        </message>
        <message>
            <source>See density at work: choose high-density, and stale reads are pruned, each with its reason.</source>
            <translation>Dichte bei der Arbeit sehen: high-density wählen, und veraltete Lesungen fallen weg, jede mit ihrem Grund.</translation>
        </message>
        <message>
            <source>See what gets lost: open Fidelity, and two wishes of the customer are gone.</source>
            <translation>Sehen, was verloren geht: Treue öffnen, und zwei Wünsche der Kundin fehlen.</translation>
        </message>
        <message>
            <source>See a cut move: asked before #7, it lies before #8, so that a call keeps its result.</source>
            <translation>Einen Schnitt wandern sehen: vor #7 verlangt, liegt er vor #8, damit ein Aufruf sein Ergebnis behält.</translation>
        </message>
        <message>
            <source>top</source>
            <translation>oben</translation>
        </message>
        <message>
            <source>bottom</source>
            <translation>unten</translation>
        </message>
        <message>
            <source>middle</source>
            <translation>Mitte</translation>
        </message>
        <message>
            <source>tail</source>
            <translation>Ende</translation>
        </message>
        <message>
            <source>protected</source>
            <translation>geschützt</translation>
        </message>
        <message>
            <source>remove</source>
            <translation>Entfernen</translation>
        </message>
        <message>
            <source>summarise</source>
            <translation>Zusammenfassen</translation>
        </message>
        <message>
            <source>truncate</source>
            <translation>Kürzen</translation>
        </message>
        <message>
            <source>short</source>
            <translation>kurz</translation>
        </message>
        <message>
            <source>thinking</source>
            <translation>Denken</translation>
        </message>
        <message>
            <source>sub-agent</source>
            <translation>Unteragent</translation>
        </message>
        <message>
            <source>Expecting value</source>
            <translation>Erwartet wird ein Wert</translation>
        </message>
        <message>
            <source>Expecting property name enclosed in double quotes</source>
            <translation>Erwartet wird ein Feldname in Anführungszeichen</translation>
        </message>
        <message>
            <source>Expecting ':' delimiter</source>
            <translation>Erwartet wird ':'</translation>
        </message>
        <message>
            <source>Expecting ',' delimiter</source>
            <translation>Erwartet wird ','</translation>
        </message>
        <message>
            <source>Extra data</source>
            <translation>Überzählige Daten</translation>
        </message>
        <message>
            <source>Unterminated string starting at</source>
            <translation>Zeichenkette ohne Ende ab</translation>
        </message>
        <message>
            <source>Invalid control character at</source>
            <translation>Ungültiges Steuerzeichen bei</translation>
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
            <source>± saved</source>
            <translation>± gespart</translation>
        </message>
        <message>
            <source>± fidelity</source>
            <translation>± Treue</translation>
        </message>
        <message>
            <source>≈ cost</source>
            <translation>≈ Kosten</translation>
        </message>
        <message>
            <source>no-ops</source>
            <translation>ohne Wirkung</translation>
        </message>
        <message>
            <source>failed</source>
            <translation>gescheitert</translation>
        </message>
        <message>
            <source>new errors</source>
            <translation>neue Fehler</translation>
        </message>
        <message>
            <source>file</source>
            <translation>Datei</translation>
        </message>
        <message>
            <source>tokens before</source>
            <translation>Token vorher</translation>
        </message>
        <message>
            <source>after</source>
            <translation>nachher</translation>
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
            <source>{count} of {count2} facts that were used again</source>
            <translation>{count} von {count2} Fakten, die wieder gebraucht wurden</translation>
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
            <source>all</source>
            <translation>alles</translation>
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
            <source>The transcript ends here: nobody knows what comes.</source>
            <translation>Das Transkript endet hier: Niemand weiß, was kommt.</translation>
        </message>
        <message>
            <source>The model has no price in the table.</source>
            <translation>Das Modell hat keinen Preis in der Tabelle.</translation>
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
            <source>Recorded calls have no price in the file; their pay-back counts the cache only.</source>
            <translation>Aufgezeichnete Aufrufe haben in der Datei keinen Preis; ihre Amortisation zählt nur den Cache.</translation>
        </message>
        <message>
            <source>Recorded rows are of what was before them: choose that scope.</source>
            <translation>Aufgezeichnete Zeilen gelten dem, was vor ihnen war: diesen Umfang wählen.</translation>
        </message>
        <message>
            <source>{done} of {total} done in {seconds}</source>
            <translation>{done} von {total} fertig in {seconds}</translation>
        </message>
        <message>
            <source>recorded {number} and {preset}</source>
            <translation>aufgezeichnet {number} und {preset}</translation>
        </message>
        <message>
            <source>over {where} · {count} · {size} tokens · {by}; nothing was sent</source>
            <translation>über {where} · {count} · {size} Token · {by}; nichts wurde gesendet</translation>
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
            <source>0 of {total} done</source>
            <translation>0 von {total} fertig</translation>
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
            <source>{more} more</source>
            <translation>{more} weitere</translation>
        </message>
        <message>
            <source>weighted fidelity (more is better)</source>
            <translation>gewichtete Treue (mehr ist besser)</translation>
        </message>
        <message>
            <source>open</source>
            <translation>offen</translation>
        </message>
        <message>
            <source>What the agent itself made of it.</source>
            <translation>Was der Agent selbst daraus gemacht hat.</translation>
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
            <source>{kind}, first in {where}</source>
            <translation>{kind}, zuerst in {where}</translation>
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
            <source>Result: {result} · source: {source}</source>
            <translation>Ergebnis: {result} · Quelle: {source}</translation>
        </message>
        <message>
            <source>valid</source>
            <translation>gültig</translation>
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
            <source>validity {unknown}</source>
            <translation>Gültigkeit {unknown}</translation>
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
            <source>By the prices of {model} with a warm prompt cache; {summary}.</source>
            <translation>Nach den Preisen von {model} mit warmem Prompt-Cache; {summary}.</translation>
        </message>
        <message>
            <source>a summary by a model would come on top, Compare prices it</source>
            <translation>eine Zusammenfassung durch ein Modell käme hinzu, Vergleichen nennt ihren Preis</translation>
        </message>
        <message>
            <source>next call ≈ {before} → {after}, then {later}</source>
            <translation>nächster Aufruf ≈ {before} → {after}, dann {later}</translation>
        </message>
        <message>
            <source>the {price} of the summary is in it</source>
            <translation>die {price} der Zusammenfassung sind enthalten</translation>
        </message>
        <message>
            <source>cache prefix kept {prefix}</source>
            <translation>Cache-Präfix bleibt {prefix}</translation>
        </message>
        <message>
            <source>pays back {when}</source>
            <translation>lohnt sich {when}</translation>
        </message>
        <message>
            <source>never</source>
            <translation>nie</translation>
        </message>
        <message>
            <source>after {calls}</source>
            <translation>über {calls}</translation>
        </message>
        <message>
            <source>next call ≈ {before}</source>
            <translation>nächster Aufruf ≈ {before}</translation>
        </message>
        <message>
            <source>next call {unknown}</source>
            <translation>nächster Aufruf {unknown}</translation>
        </message>
        <message>
            <source>price {unknown}</source>
            <translation>Preis {unknown}</translation>
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
            <source>Use {other}</source>
            <translation>{other} benutzen</translation>
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
            <source>Replay and engine only.</source>
            <translation>Nur Abspielen und Engine.</translation>
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
            <source>met</source>
            <translation>erreicht</translation>
        </message>
        <message>
            <source>source</source>
            <translation>Quelle</translation>
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
            <source>use {other}</source>
            <translation>{other} benutzen</translation>
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
            <source>not with {name}</source>
            <translation>nicht mit {name}</translation>
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
            <source>{tokens} tokens, appended</source>
            <translation>{tokens} Token, angehängt</translation>
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
            <source>empty</source>
            <translation>leer</translation>
        </message>
        <message>
            <source>Would summarise</source>
            <translation>Umfasst</translation>
        </message>
        <message>
            <source>Request</source>
            <translation>Anfrage</translation>
        </message>
        <message>
            <source>Summary at most</source>
            <translation>Ergibt höchstens</translation>
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
            <source>change</source>
            <translation>Änderung</translation>
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
            <source>turn</source>
            <translation>Zug</translation>
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
            <translation>Auslöser bei diesem Tempo</translation>
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
            <source>change {number} of {total}</source>
            <translation>Änderung {number} von {total}</translation>
        </message>
        <message>
            <source>{shown} of {count} before, {shown2} of {count2} after</source>
            <translation>{shown} von {count} vorher, {shown2} von {count2} nachher</translation>
        </message>
        <message>
            <source>{count} more {fate}</source>
            <translation>{count} weitere {fate}</translation>
        </message>
        <message>
            <source>was {was}</source>
            <translation>war {was}</translation>
        </message>
        <message>
            <source>tokens not reported</source>
            <translation>Token nicht angegeben</translation>
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
            <source>Statistics</source>
            <translation>Statistik</translation>
        </message>
        <message>
            <source>Warnings</source>
            <translation>Warnungen</translation>
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
            <source>newest first</source>
            <translation>neueste zuerst</translation>
        </message>
        <message>
            <source>by {column}</source>
            <translation>nach {column}</translation>
        </message>
        <message>
            <source>heads read now, counts as they come</source>
            <translation>Anfänge gelesen, Zahlen folgen nach und nach</translation>
        </message>
        <message>
            <source>(no prompt) {name}</source>
            <translation>(kein Prompt) {name}</translation>
        </message>
        <message>
            <source>At {percent} of {limit}, {tokens} above the trigger of {name}.</source>
            <translation>Bei {percent} von {limit}, {tokens} über dem Auslöser von {name}.</translation>
        </message>
        <message>
            <source>(not readable) {name}</source>
            <translation>(nicht lesbar) {name}</translation>
        </message>
        <message>
            <source>today {time}</source>
            <translation>heute {time}</translation>
        </message>
        <message>
            <source>yesterday</source>
            <translation>gestern</translation>
        </message>
        <message>
            <source>last message: {text}</source>
            <translation>letzte Nachricht: {text}</translation>
        </message>
        <message>
            <source>At {percent} of {limit}, {tokens} below the trigger of {name}.</source>
            <translation>Bei {percent} von {limit}, {tokens} unter dem Auslöser von {name}.</translation>
        </message>
        <message>
            <source>Jan {day}</source>
            <translation>{day}. Jan.</translation>
        </message>
        <message>
            <source>Feb {day}</source>
            <translation>{day}. Feb.</translation>
        </message>
        <message>
            <source>Mar {day}</source>
            <translation>{day}. März</translation>
        </message>
        <message>
            <source>Apr {day}</source>
            <translation>{day}. Apr.</translation>
        </message>
        <message>
            <source>May {day}</source>
            <translation>{day}. Mai</translation>
        </message>
        <message>
            <source>Jun {day}</source>
            <translation>{day}. Juni</translation>
        </message>
        <message>
            <source>Jul {day}</source>
            <translation>{day}. Juli</translation>
        </message>
        <message>
            <source>Aug {day}</source>
            <translation>{day}. Aug.</translation>
        </message>
        <message>
            <source>Sep {day}</source>
            <translation>{day}. Sept.</translation>
        </message>
        <message>
            <source>Oct {day}</source>
            <translation>{day}. Okt.</translation>
        </message>
        <message>
            <source>Nov {day}</source>
            <translation>{day}. Nov.</translation>
        </message>
        <message>
            <source>Dec {day}</source>
            <translation>{day}. Dez.</translation>
        </message>
        <message>
            <source>(sub-agent) {prompt}</source>
            <translation>(Unteragent) {prompt}</translation>
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
            <source>here at most {count}</source>
            <translation>hier höchstens {count}</translation>
        </message>
        <message>
            <source>here {span}</source>
            <translation>hier {span}</translation>
        </message>
        <message>
            <source>saved is {value}</source>
            <translation>gespeichert ist {value}</translation>
        </message>
        <message>
            <source>default is {value}</source>
            <translation>Standard ist {value}</translation>
        </message>
        <message>
            <source>the active profile</source>
            <translation>das aktive Profil</translation>
        </message>
        <message>
            <source>{name} has no key:</source>
            <translation>{name} hat keinen Schlüssel:</translation>
        </message>
        <message>
            <source>the environment variable {variable} is empty. Compact will fail with {name} until it is set.</source>
            <translation>Die Umgebungsvariable {variable} ist leer. Verdichten mit {name} scheitert, bis sie gesetzt ist.</translation>
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
            <source>unset → {layers}</source>
            <translation>ohne Wert → {layers}</translation>
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
            <source>nothing below</source>
            <translation>nichts darunter</translation>
        </message>
        <message>
            <source>looked up by the model</source>
            <translation>nach dem Modell nachgeschlagen</translation>
        </message>
        <message>
            <source>Edit profile…</source>
            <translation>Profil bearbeiten…</translation>
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
            <source>Open a transcript to try it.</source>
            <translation>Zum Probieren ein Transkript öffnen.</translation>
        </message>
        <message>
            <source>There is nothing to summarise.</source>
            <translation>Es gibt nichts zusammenzufassen.</translation>
        </message>
        <message>
            <source>Offline fills the sections that the text asks for; how it is worded counts for a model only.</source>
            <translation>Offline füllt die Abschnitte, die der Text verlangt; wie er formuliert ist, zählt nur für ein Modell.</translation>
        </message>
        <message>
            <source>Offline fills the sections that the text asks for; how it is worded counts for a model only. The built-in text gives this same summary.</source>
            <translation>Offline füllt die Abschnitte, die der Text verlangt; wie er formuliert ist, zählt nur für ein Modell. Der eingebaute Text ergibt dieselbe Zusammenfassung.</translation>
        </message>
        <message>
            <source>Try the built-in text with {name}, too, to compare.</source>
            <translation>Zum Vergleich auch den eingebauten Text mit {name} probieren.</translation>
        </message>
        <message>
            <source>{tokens} of {most}</source>
            <translation>{tokens} von {most}</translation>
        </message>
        <message>
            <source>{held} of {whole}</source>
            <translation>{held} von {whole}</translation>
        </message>
        <message>
            <source>{strategy} does not use this prompt.</source>
            <translation>{strategy} verwendet diesen Prompt nicht.</translation>
        </message>
        <message>
            <source>Try offline</source>
            <translation>Offline probieren</translation>
        </message>
        <message>
            <source>Result of {name}</source>
            <translation>Ergebnis von {name}</translation>
        </message>
        <message>
            <source>Tokens</source>
            <translation>Token</translation>
        </message>
        <message>
            <source>Try with {name}…</source>
            <translation>Mit {name} probieren …</translation>
        </message>
        <message>
            <source>Try with a model…</source>
            <translation>Mit Modell probieren …</translation>
        </message>
        <message>
            <source>The {name} profile calls no model: choose one that does.</source>
            <translation>Das Profil {name} ruft kein Modell auf: eines mit Modell wählen.</translation>
        </message>
        <message>
            <source>Priced as {name}</source>
            <translation>Preis mit {name}</translation>
        </message>
        <message>
            <source>Offline result</source>
            <translation>Ergebnis offline</translation>
        </message>
        <message>
            <source>deterministic preview</source>
            <translation>deterministische Vorschau</translation>
        </message>
        <message>
            <source>Constraints, word for word</source>
            <translation>Vorgaben, wörtlich</translation>
        </message>
        <message>
            <source>Open errors</source>
            <translation>Offene Fehler</translation>
        </message>
        <message>
            <source>none there</source>
            <translation>keine da</translation>
        </message>
        <message>
            <source>– with built in</source>
            <translation>– mit dem eingebauten</translation>
        </message>
        <message>
            <source>{name} does not obey pins: </source>
            <translation>{name} beachtet Anheftungen nicht: </translation>
        </message>
        <message>
            <source>Pinned to keep</source>
            <translation>Angeheftet: behalten</translation>
        </message>
        <message>
            <source>Pinned to drop</source>
            <translation>Angeheftet: weglassen</translation>
        </message>
        <message>
            <source>Pair</source>
            <translation>Paar</translation>
        </message>
        <message>
            <source>profile</source>
            <translation>Profil</translation>
        </message>
        <message>
            <source>model</source>
            <translation>Modell</translation>
        </message>
        <message>
            <source>Sub-agent</source>
            <translation>Unteragent</translation>
        </message>
        <message>
            <source>sections</source>
            <translation>Abschnitte</translation>
        </message>
        <message>
            <source>state</source>
            <translation>Stand</translation>
        </message>
        <message>
            <source>Locked</source>
            <translation>Gesperrt</translation>
        </message>
        <message>
            <source>Enter does it · Tab completes · ↑ ↓ move, and go through the history</source>
            <translation>Eingabe führt aus · Tab ergänzt · ↑ ↓ wählen und gehen durch den Verlauf</translation>
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
            <source>Nothing here is called “{text}”.</source>
            <translation>Hier heißt nichts „{text}“.</translation>
        </message>
        <message>
            <source>{title}: not now. {why}</source>
            <translation>{title}: jetzt nicht. {why}</translation>
        </message>
        <message>
            <source>Actions and completions</source>
            <translation>Aktionen und Ergänzungen</translation>
        </message>
        <message>
            <source>{title} (chosen)</source>
            <translation>{title} (gewählt)</translation>
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
            <source>Choose what is compared: strategies, presets, recorded compactions.</source>
            <translation>Wählen, was verglichen wird: Strategien, Presets, aufgezeichnete Verdichtungen.</translation>
        </message>
        <message>
            <source>Add strategy…</source>
            <translation>Strategie dazu …</translation>
        </message>
        <message>
            <source>Tokens against fidelity</source>
            <translation>Token gegen Treue</translation>
        </message>
        <message>
            <source>Folder…</source>
            <translation>Ordner …</translation>
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
            <source>{name} + {more} more</source>
            <translation>{name} + {more} weitere</translation>
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
            <source>{count} tokens, fidelity {score}</source>
            <translation>{count} Token, Treue {score}</translation>
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
            <source>Too few runs.</source>
            <translation>Zu wenige Läufe.</translation>
        </message>
        <message>
            <source>Compact makes one; two can be compared.</source>
            <translation>„Verdichten“ macht einen; zwei lassen sich vergleichen.</translation>
        </message>
        <message>
            <source>Checking the summary…</source>
            <translation>Die Zusammenfassung wird geprüft …</translation>
        </message>
        <message>
            <source>
and {rest:,} more; Why of the summary lists them</source>
            <translation>
und {rest:,} weitere; „Warum“ der Zusammenfassung nennt sie</translation>
        </message>
        <message>
            <source>Export</source>
            <translation>Exportieren</translation>
        </message>
        <message>
            <source>Replace it</source>
            <translation>Ersetzen</translation>
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
            <source>{path} exists already.</source>
            <translation>{path} gibt es schon.</translation>
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
            <source>Export to</source>
            <translation>Exportieren nach</translation>
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
            <source>Keep</source>
            <translation>Behalten</translation>
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
            <source>unsaved</source>
            <translation>ungespeichert</translation>
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
            <source>Run</source>
            <translation>Lauf</translation>
        </message>
        <message>
            <source>Compare two runs</source>
            <translation>Zwei Läufe vergleichen</translation>
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
            <source>Theme and text size hold at once, a language from the next start on; the window remembers all three.</source>
            <translation>Farbschema und Textgröße gelten sofort, eine Sprache ab dem nächsten Start; das Fenster merkt sich alle drei.</translation>
        </message>
        <message>
            <source>What has a key. The menu Help, Keys, shows this list, too.</source>
            <translation>Was eine Taste hat. Das Menü Hilfe, Tasten, zeigt diese Liste auch.</translation>
        </message>
        <message>
            <source>Appearance</source>
            <translation>Aussehen</translation>
        </message>
        <message>
            <source>Keyboard</source>
            <translation>Tastatur</translation>
        </message>
        <message>
            <source>Text size</source>
            <translation>Textgröße</translation>
        </message>
        <message>
            <source>Folder</source>
            <translation>Ordner</translation>
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
            <source>What each strategy makes of these transcripts will stand here.</source>
            <translation>Hier wird stehen, was jede Strategie aus diesen Transkripten macht.</translation>
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
            <source>Enter opens a file</source>
            <translation>Eingabe öffnet eine Datei</translation>
        </message>
        <message>
            <source>Looking into the folder …</source>
            <translation>Der Ordner wird durchgesehen …</translation>
        </message>
        <message>
            <source>Forget what was done before, and do all files again.</source>
            <translation>Vergessen, was getan war, und alle Dateien neu durchgehen.</translation>
        </message>
        <message>
            <source>Begin anew</source>
            <translation>Neu beginnen</translation>
        </message>
        <message>
            <source>Go on</source>
            <translation>Weiter</translation>
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
            <source>On the ruler: why the cut is there; put it back while it moves; show all</source>
            <translation>Auf dem Lineal: warum der Schnitt dort liegt; ihn zurücklegen, solange er wandert; alles zeigen</translation>
        </message>
        <message>
            <source>In Fidelity: the message with the fact, the one that holds it in the result</source>
            <translation>In der Treue: die Nachricht mit dem Fakt; die, in der er im Ergebnis steht</translation>
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
            <source>In Replay: first and last turn</source>
            <translation>Beim Abspielen: erster und letzter Zug</translation>
        </message>
        <message>
            <source>In a plot: from point to point; Enter chooses it</source>
            <translation>In einem Bild von Punkten: von Punkt zu Punkt; Eingabe wählt ihn</translation>
        </message>
        <message>
            <source>On compared runs: back to the preview</source>
            <translation>Bei verglichenen Läufen: zurück zur Vorschau</translation>
        </message>
        <message>
            <source>In Settings, Sessions and Help: search</source>
            <translation>In Einstellungen, Sitzungen und Hilfe: suchen</translation>
        </message>
        <message>
            <source>In the prompts window: save the text</source>
            <translation>Im Fenster der Prompts: den Text speichern</translation>
        </message>
        <message>
            <source>In Help: the page before</source>
            <translation>In der Hilfe: die Seite davor</translation>
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
            <source>This page is in English.</source>
            <translation>Diese Seite ist auf Englisch.</translation>
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
            <source>Legend: {words}</source>
            <translation>Legende: {words}</translation>
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
            <source>Save the table</source>
            <translation>Die Tabelle speichern</translation>
        </message>
        <message>
            <source>Save the plot</source>
            <translation>Das Bild speichern</translation>
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
            <source>Wrote {path}.</source>
            <translation>{path} geschrieben.</translation>
        </message>
        <message>
            <source>Open a transcript first: File, Open, or Ctrl O.</source>
            <translation>Zuerst ein Transkript öffnen: Datei, Öffnen, oder Strg O.</translation>
        </message>
        <message>
            <source>Make what is still missing.</source>
            <translation>Machen, was noch fehlt.</translation>
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
            <source>verbatim</source>
            <translation>wörtlich</translation>
        </message>
        <message>
            <source>partial</source>
            <translation>teilweise</translation>
        </message>
        <message>
            <source>recoverable</source>
            <translation>wieder beschaffbar</translation>
        </message>
        <message>
            <source>lost</source>
            <translation>verloren</translation>
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
            <translation>{name}, ärgste oben</translation>
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
            <source>not checked yet</source>
            <translation>noch nicht geprüft</translation>
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
            <source>{count} change</source>
            <translation>{count} Änderung</translation>
        </message>
        <message>
            <source>{count} changes</source>
            <translation>{count} Änderungen</translation>
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
            <source>/ Filter</source>
            <translation>/ Filter</translation>
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
            <source>empty result</source>
            <translation>leeres Ergebnis</translation>
        </message>
        <message>
            <source>thinking: encrypted</source>
            <translation>Denken: verschlüsselt</translation>
        </message>
        <message>
            <source>{count} calls:</source>
            <translation>{count} Aufrufe:</translation>
        </message>
        <message>
            <source>thinking: {text}</source>
            <translation>Denken: {text}</translation>
        </message>
        <message>
            <source>{count} results: {text}</source>
            <translation>{count} Ergebnisse: {text}</translation>
        </message>
        <message>
            <source>image {count} × {count2}</source>
            <translation>Bild {count} × {count2}</translation>
        </message>
        <message>
            <source>encrypted, {size}</source>
            <translation>verschlüsselt, {size}</translation>
        </message>
        <message>
            <source>Which list to show</source>
            <translation>Welche Liste gezeigt wird</translation>
        </message>
        <message>
            <source>No message passes the filter.</source>
            <translation>Keine Nachricht kommt durch den Filter.</translation>
        </message>
        <message>
            <source>stale</source>
            <translation>veraltet</translation>
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
            <source>Two results stand beside each other; a preview can be folded again.</source>
            <translation>Zwei Ergebnisse stehen nebeneinander; eine Vorschau lässt sich noch einmal falten.</translation>
        </message>
        <message>
            <source>No transcript is open.</source>
            <translation>Kein Transkript ist offen.</translation>
        </message>
        <message>
            <source>There is no preview yet.</source>
            <translation>Es gibt noch keine Vorschau.</translation>
        </message>
        <message>
            <source>There is no change to take back.</source>
            <translation>Es gibt keine Änderung zurückzunehmen.</translation>
        </message>
        <message>
            <source>No message is selected.</source>
            <translation>Keine Nachricht ist gewählt.</translation>
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
            <source>Nothing is going on.</source>
            <translation>Nichts läuft.</translation>
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
            <source>{name}: present</source>
            <translation>{name}: vorhanden</translation>
        </message>
        <message>
            <source>{name}: missing</source>
            <translation>{name}: fehlt</translation>
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
            <source>Prompts</source>
            <translation>Prompts</translation>
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
            <source>{name} whose chain is shown. Another one can be looked at before it is used.</source>
            <translation>{name}, dessen Kette gezeigt wird. Auch ein anderer lässt sich ansehen, bevor er benutzt wird.</translation>
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
            <source>Back to the text of the file (Ctrl Z takes it back)</source>
            <translation>Zurück zum Text der Datei (Strg Z nimmt es zurück)</translation>
        </message>
        <message>
            <source>Write this level's file (Ctrl S)</source>
            <translation>Die Datei dieser Ebene schreiben (Strg S)</translation>
        </message>
        <message>
            <source>as seen by</source>
            <translation>gesehen von</translation>
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
            <source>not sent until you press Compact or try it</source>
            <translation>wird erst mit „Verdichten“ oder beim Probieren gesendet</translation>
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
            <source>Where the text comes from</source>
            <translation>Woher der Text kommt</translation>
        </message>
        <message>
            <source>Sections the strategy asks for</source>
            <translation>Verlangte Abschnitte</translation>
        </message>
        <message>
            <source>Placeholders</source>
            <translation>Platzhalter</translation>
        </message>
        <message>
            <source>Try it on this conversation</source>
            <translation>An diesem Gespräch probieren</translation>
        </message>
        <message>
            <source>The summary is being written. Esc stops it.</source>
            <translation>Die Zusammenfassung wird geschrieben. Esc bricht ab.</translation>
        </message>
        <message>
            <source>before the last change</source>
            <translation>vor der letzten Änderung</translation>
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
            <source>Pause</source>
            <translation>Pause</translation>
        </message>
        <message>
            <source>turn {turn:,} of {turns:,}</source>
            <translation>Zug {turn:,} von {turns:,}</translation>
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
            <source>{before} → {after} tokens</source>
            <translation>{before} → {after} Token</translation>
        </message>
        <message>
            <source>Choose what is replayed.</source>
            <translation>Wählen, was abgespielt wird.</translation>
        </message>
        <message>
            <source>Context size</source>
            <translation>Größe des Kontexts</translation>
        </message>
        <message>
            <source>Context size, turn by turn</source>
            <translation>Größe des Kontexts, Zug um Zug</translation>
        </message>
        <message>
            <source>compaction</source>
            <translation>Verdichtung</translation>
        </message>
        <message>
            <source>{name}: over the limit from turn {turn:,}</source>
            <translation>{name}: über dem Limit ab Zug {turn:,}</translation>
        </message>
        <message>
            <source>{name} ends at {tokens:,} tokens</source>
            <translation>{name} endet bei {tokens:,} Token</translation>
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
            <source>Open this session and compare what each strategy makes of it.</source>
            <translation>Diese Sitzung öffnen und vergleichen, was jede Strategie aus ihr macht.</translation>
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
            <source>Compare strategies</source>
            <translation>Strategien vergleichen</translation>
        </message>
        <message>
            <source>Open  Enter</source>
            <translation>Öffnen  Eingabe</translation>
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
            <source>Files *.json and *.jsonl are looked at.</source>
            <translation>Gesucht wird nach Dateien *.json und *.jsonl.</translation>
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
            <source>details</source>
            <translation>Einzelheiten</translation>
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
            <source>What the agent adds to the file is taken in (File, Follow while it grows).</source>
            <translation>Was der Agent an die Datei anhängt, wird übernommen (Datei, Folgen, solange sie wächst).</translation>
        </message>
        <message>
            <source>following the file</source>
            <translation>folgt der Datei</translation>
        </message>
        <message>
            <source>Copy the whole report; keys, tokens and mail addresses are written over</source>
            <translation>Den ganzen Bericht kopieren; Schlüssel, Token und Mailadressen werden überschrieben</translation>
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
            <source>Open</source>
            <translation>Öffnen</translation>
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
            <source>Recent</source>
            <translation>Zuletzt</translation>
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
            <source>Run it</source>
            <translation>Rechnen</translation>
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
            <source>{label} (upward)</source>
            <translation>{label} (nach oben)</translation>
        </message>
        <message>
            <source>{label} (to the right)</source>
            <translation>{label} (nach rechts)</translation>
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
            <source>Colours show</source>
            <translation>Farben zeigen</translation>
        </message>
        <message>
            <source>Choose a point.</source>
            <translation>Einen Punkt wählen.</translation>
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
            <source>Codex CLI</source>
            <translation>Codex CLI</translation>
        </message>
        <message>
            <source>Cline SDK</source>
            <translation>Cline SDK</translation>
        </message>
        <message>
            <source>Of {before} tokens the agent left {theirs}, {preset} leaves {left}{apart}.</source>
            <translation>Von {before} Token ließ der Agent {theirs} übrig, {preset} lässt {left}{apart}.</translation>
        </message>
        <message>
            <source>Of {count} messages the agent kept {some} as they were, {preset} keeps {some2}</source>
            <translation>Von {count} Nachrichten behielt der Agent {some}, wie sie waren, {preset} behält {some2}</translation>
        </message>
        <message>
            <source>New text: of the agent {wrote}; of {preset} {has}.</source>
            <translation>Neuer Text: vom Agenten {wrote}; von {preset} {has}.</translation>
        </message>
        <message>
            <source>{name} against recorded {number}</source>
            <translation>{name} gegen aufgezeichnet {number}</translation>
        </message>
        <message>
            <source>Of {before} tokens {preset} leaves {left}; what the agent left is encrypted.</source>
            <translation>Von {before} Token lässt {preset} {left}; was der Agent übrig ließ, ist verschlüsselt.</translation>
        </message>
        <message>
            <source>, {value} times as many</source>
            <translation>, {value}-mal so viele</translation>
        </message>
        <message>
            <source>, {percent} more</source>
            <translation>, {percent} mehr</translation>
        </message>
        <message>
            <source>, {percent} fewer</source>
            <translation>, {percent} weniger</translation>
        </message>
        <message>
            <source>, as many</source>
            <translation>, ebenso viele</translation>
        </message>
        <message>
            <source>none that can be read</source>
            <translation>keiner, der lesbar ist</translation>
        </message>
        <message>
            <source>{tokens} (written offline)</source>
            <translation>{tokens} (offline geschrieben)</translation>
        </message>
        <message>
            <source>{shown} and {more} more</source>
            <translation>{shown} und {more} weitere</translation>
        </message>
        <message>
            <source>{name} against {name2}</source>
            <translation>{name} gegen {name2}</translation>
        </message>
        <message>
            <source>{name} would have done nothing: {reason}</source>
            <translation>{name} hätte nichts getan: {reason}</translation>
        </message>
        <message>
            <source>Of what the facts weigh, the agent's result holds {shares}, that of {name} {shares2}.</source>
            <translation>Von dem, was die Fakten wiegen, enthält das Ergebnis des Agenten {shares}, das von {name} {shares2}.</translation>
        </message>
        <message>
            <source>{both} of them the same</source>
            <translation>{both} davon dieselben</translation>
        </message>
        <message>
            <source>only the agent {spans}</source>
            <translation>nur der Agent {spans}</translation>
        </message>
        <message>
            <source>only {preset} {spans}</source>
            <translation>nur {preset} {spans}</translation>
        </message>
        <message>
            <source>{name} did not run: {error}</source>
            <translation>{name} lief nicht: {error}</translation>
        </message>
        <message>
            <source>The model table has no price of {name}.</source>
            <translation>Die Modelltabelle hat keinen Preis für {name}.</translation>
        </message>
        <message>
            <source>Name another model, or {offline}.</source>
            <translation>Ein anderes Modell nennen oder {offline}.</translation>
        </message>
        <message>
            <source>Looking for facts</source>
            <translation>Fakten werden gesucht</translation>
        </message>
        <message>
            <source>{found} recorded compactions</source>
            <translation>{found} aufgezeichnete Verdichtungen</translation>
        </message>
        <message>
            <source>{found} recorded compaction</source>
            <translation>{found} aufgezeichnete Verdichtung</translation>
        </message>
        <message>
            <source>There is no {name}: the file has {has}.</source>
            <translation>Es gibt kein {name}: Die Datei hat {has}.</translation>
        </message>
        <message>
            <source>See foldline inspect.</source>
            <translation>Siehe foldline inspect.</translation>
        </message>
        <message>
            <source>{name} ({value} of {count})</source>
            <translation>{name} ({value} von {count})</translation>
        </message>
        <message>
            <source>recall {value}</source>
            <translation>Trefferquote {value}</translation>
        </message>
        <message>
            <source>A line of the progress file is not whole.</source>
            <translation>Eine Zeile der Fortschrittsdatei ist nicht vollständig.</translation>
        </message>
        <message>
            <source>Start anew with --fresh.</source>
            <translation>Mit --fresh neu beginnen.</translation>
        </message>
        <message>
            <source>{name} and {name2} are results of different messages ({scope}, {scope2}).</source>
            <translation>{name} und {name2} sind Ergebnisse verschiedener Nachrichten ({scope}, {scope2}).</translation>
        </message>
        <message>
            <source>Compare in the scope {value}.</source>
            <translation>Im Umfang {value} vergleichen.</translation>
        </message>
        <message>
            <source>Its facts are not known.</source>
            <translation>Seine Fakten sind nicht bekannt.</translation>
        </message>
        <message>
            <source>{name} cannot be compared by its facts.</source>
            <translation>{name} lässt sich nicht nach Fakten vergleichen.</translation>
        </message>
        <message>
            <source>What it removed is not in the file.</source>
            <translation>Was sie entfernte, ist nicht in der Datei.</translation>
        </message>
        <message>
            <source>The file holds no message before it.</source>
            <translation>Die Datei enthält keine Nachricht davor.</translation>
        </message>
        <message>
            <source>what stands for the rest is encrypted: neither its tokens nor its facts are known</source>
            <translation>was für den Rest steht, ist verschlüsselt: weder seine Token noch seine Fakten sind bekannt</translation>
        </message>
        <message>
            <source>the agent's own, in another file</source>
            <translation>die eigene des Agenten, in einer anderen Datei</translation>
        </message>
        <message>
            <source>{recorded} in {name}</source>
            <translation>{recorded} in {name}</translation>
        </message>
        <message>
            <source>{reported} → {reported2} tokens as the agent reported them</source>
            <translation>{reported} → {reported2} Token nach Angabe des Agenten</translation>
        </message>
        <message>
            <source>net-negative: the context grew by {count} tokens</source>
            <translation>netto ein Verlust: der Kontext wuchs um {count} Token</translation>
        </message>
        <message>
            <source>{again} of {reads} later file reads ({tax}) read again what was read before</source>
            <translation>{again} von {reads} späteren Dateilesungen ({tax}) lasen, was schon gelesen war</translation>
        </message>
        <message>
            <source>reverse engineered</source>
            <translation>nachgebaut</translation>
        </message>
        <message>
            <source>tier {number} was enough</source>
            <translation>Stufe {number} genügte</translation>
        </message>
        <message>
            <source>All rounds together.</source>
            <translation>Alle Runden zusammen.</translation>
        </message>
        <message>
            <source>Indexing texts</source>
            <translation>Texte werden erfasst</translation>
        </message>
        <message>
            <source>Looking for facts in the result</source>
            <translation>Fakten werden im Ergebnis gesucht</translation>
        </message>
        <message>
            <source>valid for {label}</source>
            <translation>gültig für {label}</translation>
        </message>
        <message>
            <source>There is no message; {label} wants one at least.</source>
            <translation>Es gibt keine Nachricht; {label} will mindestens eine.</translation>
        </message>
        <message>
            <source>There is no linter for {provider}.</source>
            <translation>Es gibt kein Lint für {provider}.</translation>
        </message>
        <message>
            <source>{hint}Known: {join}.</source>
            <translation>{hint}Bekannt: {join}.</translation>
        </message>
        <message>
            <source>{count} {severity}s for {label}</source>
            <translation>{count} {severity} für {label}</translation>
        </message>
        <message>
            <source>{count} {severity} for {label}</source>
            <translation>{count} {severity} für {label}</translation>
        </message>
        <message>
            <source>no errors for {label}, {count} {severity}s</source>
            <translation>keine Fehler für {label}, {count} {severity}</translation>
        </message>
        <message>
            <source>no errors for {label}, {count} {severity}</source>
            <translation>keine Fehler für {label}, {count} {severity}</translation>
        </message>
        <message>
            <source>{name} of the assistant comes first; a conversation has to begin with a user message.</source>
            <translation>{name} des Assistenten steht vorn; ein Gespräch muss mit einer Nachricht des Nutzers beginnen.</translation>
        </message>
        <message>
            <source>{marks} blocks carry cache_control, the fifth in {name}; {max_cache_marks} may.</source>
            <translation>{marks} Blöcke tragen cache_control, der fünfte in {name}; {max_cache_marks} dürfen es.</translation>
        </message>
        <message>
            <source>role that Anthropic</source>
            <translation>Rolle, die Anthropic</translation>
        </message>
        <message>
            <source>{name} says nothing; Anthropic refuses empty messages unless they are left out.</source>
            <translation>{name} sagt nichts; leere Nachrichten lehnt Anthropic ab, wenn sie nicht wegbleiben.</translation>
        </message>
        <message>
            <source>{name} uses the call id {shown_id} of {name2} again.</source>
            <translation>{name} benutzt die Aufruf-ID {shown_id} von {name2} noch einmal.</translation>
        </message>
        <message>
            <source>{name} holds a blank text, which Anthropic refuses unless it is left out.</source>
            <translation>{name} enthält einen leeren Text, den Anthropic ablehnt, wenn er nicht wegbleibt.</translation>
        </message>
        <message>
            <source>{name} holds unsigned thinking; Anthropic refuses it unless it is left out.</source>
            <translation>{name} enthält Denken ohne Signatur, das Anthropic ablehnt, wenn es nicht wegbleibt.</translation>
        </message>
        <message>
            <source>{name} holds thinking that was changed after it was signed.</source>
            <translation>{name} enthält Denken, das nach dem Signieren geändert wurde.</translation>
        </message>
        <message>
            <source>{name} holds a result after {name2}; results are written first.</source>
            <translation>{name} enthält ein Ergebnis nach {name2}; Ergebnisse werden zuerst geschrieben.</translation>
        </message>
        <message>
            <source>{name} answers the call {shown_id}, {why}.</source>
            <translation>{name} beantwortet den Aufruf {shown_id}, {why}.</translation>
        </message>
        <message>
            <source>{name} answers the call {shown_id} a second time.</source>
            <translation>{name} beantwortet den Aufruf {shown_id} ein zweites Mal.</translation>
        </message>
        <message>
            <source>which no message makes</source>
            <translation>den keine Nachricht macht</translation>
        </message>
        <message>
            <source>The call {shown_id} in {name}</source>
            <translation>Der Aufruf {shown_id} in {name}</translation>
        </message>
        <message>
            <source>{name} has a tool call without an id; it was paired by its place.</source>
            <translation>{name} hat einen Tool-Aufruf ohne ID; er wurde nach seinem Platz gepaart.</translation>
        </message>
        <message>
            <source>{name} has a tool result without an id; it was paired by its place.</source>
            <translation>{name} hat ein Tool-Ergebnis ohne ID; es wurde nach seinem Platz gepaart.</translation>
        </message>
        <message>
            <source>which comes only later, in {name}</source>
            <translation>der erst später kommt, in {name}</translation>
        </message>
        <message>
            <source>which is in {name}, not in the assistant message right before</source>
            <translation>der in {name} steht, nicht in der Nachricht des Assistenten direkt davor</translation>
        </message>
        <message>
            <source>{call} is not answered yet; the agent has to add a result.</source>
            <translation>{call} ist noch nicht beantwortet; der Agent muss ein Ergebnis anfügen.</translation>
        </message>
        <message>
            <source>{call} is not answered before the conversation goes on.</source>
            <translation>{call} wird nicht beantwortet, bevor das Gespräch weitergeht.</translation>
        </message>
        <message>
            <source>{name} is a system message inside the conversation; it is written as user.</source>
            <translation>{name} ist eine System-Nachricht mitten im Gespräch; sie wird als user geschrieben.</translation>
        </message>
        <message>
            <source>{name} has a {what} does not know; it is written as user.</source>
            <translation>{name} hat eine {what} nicht kennt; sie wird als user geschrieben.</translation>
        </message>
        <message>
            <source>{name} has two calls with the id {shown_id}.</source>
            <translation>{name} hat zwei Aufrufe mit der ID {shown_id}.</translation>
        </message>
        <message>
            <source>{name} holds base64 data in its text; the model pays for it and cannot read it.</source>
            <translation>{name} enthält base64-Daten im Text; das Modell bezahlt sie und kann sie nicht lesen.</translation>
        </message>
        <message>
            <source>{name} of the model comes first; the contents have to begin with a user's.</source>
            <translation>{name} des Modells steht vorn; die Inhalte müssen mit denen eines Nutzers beginnen.</translation>
        </message>
        <message>
            <source>{name} calls a function, but no user's turn or result comes before it.</source>
            <translation>{name} ruft eine Funktion, aber davor steht weder ein Zug des Nutzers noch ein Ergebnis.</translation>
        </message>
        <message>
            <source>role that Gemini</source>
            <translation>Rolle, die Gemini</translation>
        </message>
        <message>
            <source>{name} says nothing; Gemini refuses empty contents unless they are left out.</source>
            <translation>{name} sagt nichts; leere Inhalte lehnt Gemini ab, wenn sie nicht wegbleiben.</translation>
        </message>
        <message>
            <source>{name} answers {shown_id} as {name2}, which was called as {called}.</source>
            <translation>{name} beantwortet {shown_id} als {name2}, gerufen wurde es als {called}.</translation>
        </message>
        <message>
            <source>{name} holds a blank text, which Gemini refuses unless it is left out.</source>
            <translation>{name} enthält einen leeren Text, den Gemini ablehnt, wenn er nicht wegbleibt.</translation>
        </message>
        <message>
            <source>{name} lost the thought signature of the call {shown_id}.</source>
            <translation>{name} verlor die Denksignatur des Aufrufs {shown_id}.</translation>
        </message>
        <message>
            <source>{name} answers {shown_id} only after {name2}; results are written first.</source>
            <translation>{name} beantwortet {shown_id} erst nach {name2}; Ergebnisse werden zuerst geschrieben.</translation>
        </message>
        <message>
            <source>role that OpenAI</source>
            <translation>Rolle, die OpenAI</translation>
        </message>
        <message>
            <source>{name} has neither text nor a call; OpenAI refuses it unless it is left out.</source>
            <translation>{name} hat weder Text noch Aufruf; OpenAI lehnt sie ab, wenn sie nicht wegbleibt.</translation>
        </message>
        <message>
            <source>{name} is empty.</source>
            <translation>{name} ist leer.</translation>
        </message>
        <message>
            <source>role or type that the API</source>
            <translation>Rolle oder Art, die die API</translation>
        </message>
        <message>
            <source>{name} has the item id {shown_id} of {name2} again.</source>
            <translation>{name} hat die Element-ID {shown_id} von {name2} noch einmal.</translation>
        </message>
        <message>
            <source>{name} ends in reasoning; the item that it led to is still to come.</source>
            <translation>{name} endet mit Denken; das Element, zu dem es führte, steht noch aus.</translation>
        </message>
        <message>
            <source>{name} ends in reasoning without the item that it led to.</source>
            <translation>{name} endet mit Denken ohne das Element, zu dem es führte.</translation>
        </message>
        <message>
            <source>{name} calls {value} with arguments that are not JSON.</source>
            <translation>{name} ruft {value} mit Argumenten, die kein JSON sind.</translation>
        </message>
        <message>
            <source>{name} is a compaction item without its encrypted content.</source>
            <translation>{name} ist ein Verdichtungselement ohne seinen verschlüsselten Inhalt.</translation>
        </message>
        <message>
            <source>{name} is a compaction item; the model does not read what stands before it.</source>
            <translation>{name} ist ein Verdichtungselement; das Modell liest nicht, was davor steht.</translation>
        </message>
        <message>
            <source>of the assistant</source>
            <translation>des Assistenten</translation>
        </message>
        <message>
            <source>{name}{who} is empty.</source>
            <translation>{name}{who} ist leer.</translation>
        </message>
        <message>
            <source>a tool</source>
            <translation>ein Tool</translation>
        </message>
        <message>
            <source>No model answers in this conversation, so there is no turn to replay.</source>
            <translation>In diesem Gespräch antwortet kein Modell, also gibt es keinen Zug abzuspielen.</translation>
        </message>
        <message>
            <source>There is no turn {turn}.</source>
            <translation>Es gibt keinen Zug {turn}.</translation>
        </message>
        <message>
            <source>Turns go from 1 to {last}.</source>
            <translation>Züge gehen von 1 bis {last}.</translation>
        </message>
        <message>
            <source>{name} does not get to turn {turn}. {error}</source>
            <translation>{name} kommt nicht bis Zug {turn}. {error}</translation>
        </message>
        <message>
            <source>turn {turn} of {turns}</source>
            <translation>Zug {turn} von {turns}</translation>
        </message>
        <message>
            <source>{runs} failed, the last at turn {turn}: {error}</source>
            <translation>{runs} scheiterten, zuletzt bei Zug {turn}: {error}</translation>
        </message>
        <message>
            <source>{runs} changed nothing, the last at turn {turn}: {reason}</source>
            <translation>{runs} änderten nichts, zuletzt bei Zug {turn}: {reason}</translation>
        </message>
        <message>
            <source>{auto} is off, so nothing is compacted.</source>
            <translation>{auto} ist aus, also wird nichts verdichtet.</translation>
        </message>
        <message>
            <source>The size of the window is not known, so its trigger never comes: set {limit}, or name a model.</source>
            <translation>Die Größe des Fensters ist nicht bekannt, also kommt der Auslöser nie: {limit} setzen oder ein Modell nennen.</translation>
        </message>
        <message>
            <source>It failed {most_failures} times in a row, the last at turn {turn}: {sentence}</source>
            <translation>Es scheiterte {most_failures}-mal hintereinander, zuletzt bei Zug {turn}: {sentence}</translation>
        </message>
        <message>
            <source>1 run</source>
            <translation>1 Lauf</translation>
        </message>
        <message>
            <source>{failed} runs</source>
            <translation>{failed} Läufe</translation>
        </message>
        <message>
            <source>{count} runs</source>
            <translation>{count} Läufe</translation>
        </message>
        <message>
            <source>Looking where the summary comes from</source>
            <translation>Es wird gesucht, woher die Zusammenfassung kommt</translation>
        </message>
        <message>
            <source>The last request, #{value}, is missing: {quoted}.</source>
            <translation>Die letzte Bitte, #{value}, fehlt: {quoted}.</translation>
        </message>
        <message>
            <source>None of the {lacks} sections that the prompt asks for is there.</source>
            <translation>Keiner der {lacks} Abschnitte, die der Prompt verlangt, ist da.</translation>
        </message>
        <message>
            <source>{noun} missing: {listed}; the prompt {verb}.</source>
            <translation>{noun} fehlt: {listed}; der Prompt {verb}.</translation>
        </message>
        <message>
            <source>And {rest} more {what}.</source>
            <translation>Und {rest} weitere {what}.</translation>
        </message>
        <message>
            <source>The open task {quoted} of #{value} is missing.</source>
            <translation>Die offene Aufgabe {quoted} aus #{value} fehlt.</translation>
        </message>
        <message>
            <source>open tasks</source>
            <translation>offene Aufgaben</translation>
        </message>
        <message>
            <source>The {noun} {shorten} stands nowhere in the source.</source>
            <translation>{noun} {shorten} steht nirgends in der Quelle.</translation>
        </message>
        <message>
            <source>paths and addresses</source>
            <translation>Pfade und Adressen</translation>
        </message>
        <message>
            <source>It is larger than its source: {own} tokens for {source}.</source>
            <translation>Sie ist größer als ihre Quelle: {own} Token für {source}.</translation>
        </message>
        <message>
            <source>summaries larger than their source</source>
            <translation>Zusammenfassungen, die größer als ihre Quelle sind</translation>
        </message>
        <message>
            <source>The rule {quoted} of #{value} is turned round.</source>
            <translation>Die Regel {quoted} aus #{value} ist umgedreht.</translation>
        </message>
        <message>
            <source>asks for it</source>
            <translation>verlangt ihn</translation>
        </message>
        <message>
            <source>asks for them</source>
            <translation>verlangt sie</translation>
        </message>
        <message>
            <source>word for word</source>
            <translation>wörtlich</translation>
        </message>
        <message>
            <source>most of its words</source>
            <translation>die meisten ihrer Worte</translation>
        </message>
        <message>
            <source>point {value} of {count}</source>
            <translation>Punkt {value} von {count}</translation>
        </message>
        <message>
            <source>Write KEY=FROM:TO:STEP or KEY=A,B.</source>
            <translation>KEY=VON:BIS:SCHRITT oder KEY=A,B schreiben.</translation>
        </message>
        <message>
            <source>{did_you_mean}It reads: {join}.</source>
            <translation>{did_you_mean}Gelesen werden: {join}.</translation>
        </message>
        <message>
            <source>A sweep varies one setting or two, not {texts}.</source>
            <translation>Eine Variation ändert eine Einstellung oder zwei, nicht {texts}.</translation>
        </message>
        <message>
            <source>{forms} as --vary.</source>
            <translation>{forms} als --vary.</translation>
        </message>
        <message>
            <source>{key} is varied twice.</source>
            <translation>{key} wird zweimal variiert.</translation>
        </message>
        <message>
            <source>Name two settings, or one with all its values.</source>
            <translation>Zwei Einstellungen nennen oder eine mit allen ihren Werten.</translation>
        </message>
        <message>
            <source>That would be {count} runs; a sweep has at most {most_points}.</source>
            <translation>Das wären {count} Läufe; eine Variation hat höchstens {most_points}.</translation>
        </message>
        <message>
            <source>Take a larger step.</source>
            <translation>Einen größeren Schritt nehmen.</translation>
        </message>
        <message>
            <source>{text} has no values.</source>
            <translation>{text} hat keine Werte.</translation>
        </message>
        <message>
            <source>{text} has one value alone.</source>
            <translation>{text} hat nur einen Wert.</translation>
        </message>
        <message>
            <source>A sweep is one of a single strategy.</source>
            <translation>Eine Variation gilt einer einzigen Strategie.</translation>
        </message>
        <message>
            <source>{key} changes nothing under {name}.</source>
            <translation>{key} ändert unter {name} nichts.</translation>
        </message>
        <message>
            <source>{key}={text} is no range.</source>
            <translation>{key}={text} ist kein Bereich.</translation>
        </message>
        <message>
            <source>The step of {key}={text} is not above 0.</source>
            <translation>Der Schritt von {key}={text} liegt nicht über 0.</translation>
        </message>
        <message>
            <source>{key}={text} runs backwards.</source>
            <translation>{key}={text} läuft rückwärts.</translation>
        </message>
        <message>
            <source>{key}={text} has more than {most_points} values.</source>
            <translation>{key}={text} hat mehr als {most_points} Werte.</translation>
        </message>
        <message>
            <source>{key} cannot be {text}.</source>
            <translation>{key} kann nicht {text} sein.</translation>
        </message>
        <message>
            <source>{key}: {text} is no number.</source>
            <translation>{key}: {text} ist keine Zahl.</translation>
        </message>
        <message>
            <source>other file</source>
            <translation>andere Datei</translation>
        </message>
        <message>
            <source>Kept: the agent's compaction left it as it was.</source>
            <translation>Behalten: Die Verdichtung des Agenten ließ sie, wie sie war.</translation>
        </message>
        <message>
            <source>The agent's compaction left it with other content.</source>
            <translation>Die Verdichtung des Agenten ließ sie mit anderem Inhalt.</translation>
        </message>
        <message>
            <source>Gone: the agent's summary stands for it.</source>
            <translation>Fort: Die Zusammenfassung des Agenten steht für sie.</translation>
        </message>
        <message>
            <source>recorded {number}</source>
            <translation>aufgezeichnet {number}</translation>
        </message>
        <message>
            <source>The same message is in {name}.</source>
            <translation>Dieselbe Nachricht steht in {name}.</translation>
        </message>
        <message>
            <source>In {name} it has other content.</source>
            <translation>In {name} hat sie anderen Inhalt.</translation>
        </message>
        <message>
            <source>It is not in {name}.</source>
            <translation>Sie steht nicht in {name}.</translation>
        </message>
        <message>
            <source>Gone: the agent's compaction left it out.</source>
            <translation>Fort: Die Verdichtung des Agenten ließ sie weg.</translation>
        </message>
        <message>
            <source>Gone: what stands for it is encrypted and cannot be read.</source>
            <translation>Fort: Was für sie steht, ist verschlüsselt und nicht lesbar.</translation>
        </message>
        <message>
            <source>The history changed meanwhile.</source>
            <translation>Der Verlauf änderte sich inzwischen.</translation>
        </message>
        <message>
            <source>Show it again.</source>
            <translation>Noch einmal zeigen.</translation>
        </message>
        <message>
            <source>tool messages and unanswered calls move it</source>
            <translation>Tool-Nachrichten und unbeantwortete Aufrufe verschieben ihn</translation>
        </message>
        <message>
            <source>The reference rule</source>
            <translation>Die Regel der Referenz</translation>
        </message>
        <message>
            <source>#{value} is the result of {id} in #{value2}</source>
            <translation>#{value} ist das Ergebnis von {id} in #{value2}</translation>
        </message>
        <message>
            <source>before #{value} and #{value2}</source>
            <translation>vor #{value} und #{value2}</translation>
        </message>
        <message>
            <source>before #{value}</source>
            <translation>vor #{value}</translation>
        </message>
        <message>
            <source>{distance} away; a tie keeps more</source>
            <translation>{distance} entfernt; bei Gleichstand bleibt mehr</translation>
        </message>
        <message>
            <source>{distance} away</source>
            <translation>{distance} entfernt</translation>
        </message>
        <message>
            <source>{moved} to before #{value}</source>
            <translation>{moved} auf vor #{value}</translation>
        </message>
        <message>
            <source>every pair lies on one side</source>
            <translation>jedes Paar liegt auf einer Seite</translation>
        </message>
        <message>
            <source>as the reference cuts</source>
            <translation>wie die Referenz schneidet</translation>
        </message>
        <message>
            <source>Reference mode keeps this cut</source>
            <translation>Der Referenz-Modus behält diesen Schnitt</translation>
        </message>
        <message>
            <source>it separates {join}</source>
            <translation>er trennt {join}</translation>
        </message>
        <message>
            <source>a call without id</source>
            <translation>ein Aufruf ohne ID</translation>
        </message>
        <message>
            <source>Not a valid boundary</source>
            <translation>Keine gültige Grenze</translation>
        </message>
        <message>
            <source>Nearest valid: {near}</source>
            <translation>Nächste gültige: {near}</translation>
        </message>
        <message>
            <source>Asked: {asked_detail}</source>
            <translation>Verlangt: {asked_detail}</translation>
        </message>
        <message>
            <source>Cut before #{value}</source>
            <translation>Schnitt vor #{value}</translation>
        </message>
        <message>
            <source>Reference mode</source>
            <translation>Referenz-Modus</translation>
        </message>
        <message>
            <source>no pair is cut here</source>
            <translation>hier wird kein Paar zerschnitten</translation>
        </message>
        <message>
            <source>{rule} moves it</source>
            <translation>{rule} verschiebt ihn</translation>
        </message>
        <message>
            <source>{whose}: reading the cache costs {read}, writing it {write} of fresh input</source>
            <translation>{whose}: Lesen des Caches kostet {read}, Schreiben {write} frischer Eingabe</translation>
        </message>
        <message>
            <source>the prices of {model}</source>
            <translation>die Preise von {model}</translation>
        </message>
        <message>
            <source>assumed prices, for the model has none</source>
            <translation>angenommene Preise, denn das Modell hat keine</translation>
        </message>
        <message>
            <source>Engines: cores, cores:N, dask://HOST:PORT.</source>
            <translation>Engines: cores, cores:N, dask://HOST:PORT.</translation>
        </message>
        <message>
            <source>The cluster at {engine} has no workers.</source>
            <translation>Der Cluster unter {engine} hat keine Worker.</translation>
        </message>
        <message>
            <source>Start one with: dask worker.</source>
            <translation>Einen starten mit: dask worker.</translation>
        </message>
        <message>
            <source>Workers at {engine} run Foldline {other}, this is {version}.</source>
            <translation>Die Worker unter {engine} haben Foldline {other}, dies ist {version}.</translation>
        </message>
        <message>
            <source>Install the same everywhere.</source>
            <translation>Überall dasselbe installieren.</translation>
        </message>
        <message>
            <source>No cluster answers at {engine}: {error}.</source>
            <translation>Kein Cluster antwortet unter {engine}: {error}.</translation>
        </message>
        <message>
            <source>Start one with: dask scheduler.</source>
            <translation>Einen starten mit: dask scheduler.</translation>
        </message>
        <message>
            <source>The workers at {engine} do not have Foldline.</source>
            <translation>Die Worker unter {engine} haben kein Foldline.</translation>
        </message>
        <message>
            <source>Install it where they run.</source>
            <translation>Dort installieren, wo sie laufen.</translation>
        </message>
        <message>
            <source>It holds no messages.</source>
            <translation>Sie enthält keine Nachrichten.</translation>
        </message>
        <message>
            <source>{filename} cannot be read: {lower}.</source>
            <translation>{filename} ist nicht lesbar: {lower}.</translation>
        </message>
        <message>
            <source>Looking into {place}</source>
            <translation>{place} wird durchgesehen</translation>
        </message>
        <message>
            <source>Foldline failed: {name}: {error}.</source>
            <translation>Foldline ist gescheitert: {name}: {error}.</translation>
        </message>
        <message>
            <source>{path} cannot be removed: {cause}.</source>
            <translation>{path} lässt sich nicht entfernen: {cause}.</translation>
        </message>
        <message>
            <source>Leave --fresh out.</source>
            <translation>--fresh weglassen.</translation>
        </message>
        <message>
            <source>{calls}{count}, ≈{sent} tokens to send, {cost}</source>
            <translation>{calls}{count}, ≈{sent} Token zu senden, {cost}</translation>
        </message>
        <message>
            <source>at most</source>
            <translation>höchstens</translation>
        </message>
        <message>
            <source>What {name} would cost</source>
            <translation>Was {name} kosten würde</translation>
        </message>
        <message>
            <source>Nothing was compacted.</source>
            <translation>Nichts wurde verdichtet.</translation>
        </message>
        <message>
            <source>After the density pass compress had nothing to do. {reason}</source>
            <translation>Nach dem Dichte-Durchgang hatte compress nichts zu tun. {reason}</translation>
        </message>
        <message>
            <source>{before}first on line {skipped_from}</source>
            <translation>{before}zuerst in Zeile {skipped_from}</translation>
        </message>
        <message>
            <source>Counting tokens: message {counts} of {messages}</source>
            <translation>Token werden gezählt: Nachricht {counts} von {messages}</translation>
        </message>
        <message>
            <source>Looking whether it was counted before</source>
            <translation>Es wird nachgesehen, ob schon gezählt wurde</translation>
        </message>
        <message>
            <source>Wrote {name}.</source>
            <translation>{name} geschrieben.</translation>
        </message>
        <message>
            <source>Show in folder</source>
            <translation>Im Ordner zeigen</translation>
        </message>
        <message>
            <source>read-write pruning</source>
            <translation>Lesen-Schreiben stutzen</translation>
        </message>
        <message>
            <source>file dedupe</source>
            <translation>Dateien nur einmal</translation>
        </message>
        <message>
            <source>{what}{more} is included again in #{value}; the newest inclusion stays.</source>
            <translation>{what}{more} steht in #{value} noch einmal; das neueste Mal bleibt.</translation>
        </message>
        <message>
            <source>and {value} more</source>
            <translation>und {value} weitere</translation>
        </message>
        <message>
            <source>{path} lines {lines}</source>
            <translation>{path} Zeilen {lines}</translation>
        </message>
        <message>
            <source>The density result removes and replaces message #{value}.</source>
            <translation>Das Dichte-Ergebnis entfernt und ersetzt Nachricht #{value}.</translation>
        </message>
        <message>
            <source>The density result removes a message twice.</source>
            <translation>Das Dichte-Ergebnis entfernt eine Nachricht zweimal.</translation>
        </message>
        <message>
            <source>The density result names message #{value} of {length}.</source>
            <translation>Das Dichte-Ergebnis nennt Nachricht #{value} von {length}.</translation>
        </message>
        <message>
            <source>Superseded by the write in #{newer}: the file was written again, whole, and the write succeeded.</source>
            <translation>Überholt vom Schreiben in #{newer}: Die Datei wurde noch einmal ganz geschrieben, mit Erfolg.</translation>
        </message>
        <message>
            <source>Superseded by the edit in #{newer}: it replaced every line that was read, and succeeded.</source>
            <translation>Überholt von der Änderung in #{newer}: Sie ersetzte mit Erfolg jede gelesene Zeile.</translation>
        </message>
        <message>
            <source>All {count} files that it read are superseded, the last in #{newer}.</source>
            <translation>Alle {count} Dateien, die sie las, sind überholt, die letzte in #{newer}.</translation>
        </message>
        <message>
            <source>All its files were written again, whole, the last in #{newer}.</source>
            <translation>Alle ihre Dateien wurden noch einmal ganz geschrieben, die letzte in #{newer}.</translation>
        </message>
        <message>
            <source>recency pruning</source>
            <translation>Nach Alter stutzen</translation>
        </message>
        <message>
            <source>Beyond the {newest} of {value}: the payload became a pointer.</source>
            <translation>Jenseits der {newest} von {value}: Die Nutzlast wurde ein Verweis.</translation>
        </message>
        <message>
            <source>newest result</source>
            <translation>neuestes Ergebnis</translation>
        </message>
        <message>
            <source>{int} newest results</source>
            <translation>{int} neueste Ergebnisse</translation>
        </message>
        <message>
            <source>its tool</source>
            <translation>sein Tool</translation>
        </message>
        <message>
            <source>The file is written later, in #{value}; the reference asks no more than that.</source>
            <translation>Die Datei wird später geschrieben, in #{value}; mehr verlangt die Referenz nicht.</translation>
        </message>
        <message>
            <source>There is no {name}.</source>
            <translation>Es gibt kein {name}.</translation>
        </message>
        <message>
            <source>Choose another row.</source>
            <translation>Eine andere Zeile wählen.</translation>
        </message>
        <message>
            <source>Back to the preview</source>
            <translation>Zurück zur Vorschau</translation>
        </message>
        <message>
            <source>{before} → {least} tokens</source>
            <translation>{before} → {least} Token</translation>
        </message>
        <message>
            <source>The after side is {name}.</source>
            <translation>Die Nachher-Seite ist {name}.</translation>
        </message>
        <message>
            <source>Before is the result of {a}, after is that of {b}.</source>
            <translation>Vorher ist das Ergebnis von {a}, nachher das von {b}.</translation>
        </message>
        <message>
            <source>Before is all that was said up to turn {turn}, after what {name} had made of it.</source>
            <translation>Vorher ist alles bis Zug {turn} Gesagte, nachher, was {name} daraus gemacht hatte.</translation>
        </message>
        <message>
            <source>{short} → {short2} tokens</source>
            <translation>{short} → {short2} Token</translation>
        </message>
        <message>
            <source>{plural} the same; {sizes}.</source>
            <translation>{plural} gleich; {sizes}.</translation>
        </message>
        <message>
            <source>, {plural} not counted</source>
            <translation>, {plural} nicht gezählt</translation>
        </message>
        <message>
            <source>{plural} the same</source>
            <translation>{plural} gleich</translation>
        </message>
        <message>
            <source>No message stayed as it was</source>
            <translation>Keine Nachricht blieb, wie sie war</translation>
        </message>
        <message>
            <source>{count} with other content</source>
            <translation>{count} mit anderem Inhalt</translation>
        </message>
        <message>
            <source>{count} only before</source>
            <translation>{count} nur vorher</translation>
        </message>
        <message>
            <source>{count} only after</source>
            <translation>{count} nur nachher</translation>
        </message>
        <message>
            <source>{count} moved</source>
            <translation>{count} verschoben</translation>
        </message>
        <message>
            <source>{name} is the file that is open.</source>
            <translation>{name} ist die Datei, die offen ist.</translation>
        </message>
        <message>
            <source>Choose another one.</source>
            <translation>Eine andere wählen.</translation>
        </message>
        <message>
            <source>Back to Compare</source>
            <translation>Zurück zu Vergleichen</translation>
        </message>
        <message>
            <source>Back to Replay</source>
            <translation>Zurück zu Abspielen</translation>
        </message>
        <message>
            <source>No folder was chosen yet.</source>
            <translation>Noch kein Ordner gewählt.</translation>
        </message>
        <message>
            <source>Choose one with File, Compare a folder.</source>
            <translation>Einen wählen mit Datei, Ordner vergleichen.</translation>
        </message>
        <message>
            <source>{path} is no folder.</source>
            <translation>{path} ist kein Ordner.</translation>
        </message>
        <message>
            <source>{path} holds no files.</source>
            <translation>{path} enthält keine Dateien.</translation>
        </message>
        <message>
            <source>Choose a folder that holds transcripts.</source>
            <translation>Einen Ordner wählen, der Transkripte enthält.</translation>
        </message>
        <message>
            <source>{name} is one of the files that were compared.</source>
            <translation>{name} ist eine der verglichenen Dateien.</translation>
        </message>
        <message>
            <source>Choose another name.</source>
            <translation>Einen anderen Namen wählen.</translation>
        </message>
        <message>
            <source>{name} is in the clipboard as JSON.</source>
            <translation>{name} ist als JSON in der Zwischenablage.</translation>
        </message>
        <message>
            <source>{name} is in the clipboard as Markdown.</source>
            <translation>{name} ist als Markdown in der Zwischenablage.</translation>
        </message>
        <message>
            <source>Only messages of the transcript can be marked.</source>
            <translation>Nur Nachrichten des Transkripts lassen sich markieren.</translation>
        </message>
        <message>
            <source>Mark one that it holds.</source>
            <translation>Eine markieren, die es enthält.</translation>
        </message>
        <message>
            <source>Use offline</source>
            <translation>Offline nehmen</translation>
        </message>
        <message>
            <source>Try again</source>
            <translation>Noch einmal</translation>
        </message>
        <message>
            <source>Saved the profile {name}.</source>
            <translation>Profil {name} gespeichert.</translation>
        </message>
        <message>
            <source>{names}. Active: {profile}.</source>
            <translation>{names}. Aktiv: {profile}.</translation>
        </message>
        <message>
            <source>No rule of the person was found.</source>
            <translation>Keine Regel der Person wurde gefunden.</translation>
        </message>
        <message>
            <source>There is nothing to pin.</source>
            <translation>Es gibt nichts anzuheften.</translation>
        </message>
        <message>
            <source>Pinned {}.</source>
            <translation>{} angeheftet.</translation>
        </message>
        <message>
            <source>Pinned {} to be dropped.</source>
            <translation>{} angeheftet: wird verworfen.</translation>
        </message>
        <message>
            <source>Unpinned {}.</source>
            <translation>{} gelöst.</translation>
        </message>
        <message>
            <source>Pinned {plural} for {said}.</source>
            <translation>{plural} für {said} angeheftet.</translation>
        </message>
        <message>
            <source>Noted {name}.</source>
            <translation>{name} mit Notiz.</translation>
        </message>
        <message>
            <source>The note on {name} is gone.</source>
            <translation>Die Notiz zu {name} ist fort.</translation>
        </message>
        <message>
            <source>It is pinned already.</source>
            <translation>Sie ist schon angeheftet.</translation>
        </message>
        <message>
            <source>They are pinned already.</source>
            <translation>Sie sind schon angeheftet.</translation>
        </message>
        <message>
            <source>Nothing to pin: {said} found.</source>
            <translation>Nichts anzuheften: {said} gefunden.</translation>
        </message>
        <message>
            <source>turn {turn}</source>
            <translation>Zug {turn}</translation>
        </message>
        <message>
            <source>{name} at turn {turn}</source>
            <translation>{name} bei Zug {turn}</translation>
        </message>
        <message>
            <source>Nothing was replayed yet.</source>
            <translation>Noch nichts wurde abgespielt.</translation>
        </message>
        <message>
            <source>Open Replay first.</source>
            <translation>Zuerst Abspielen öffnen.</translation>
        </message>
        <message>
            <source>run {number} · {name} · {size}</source>
            <translation>Lauf {number} · {name} · {size}</translation>
        </message>
        <message>
            <source>There is no run {number}.</source>
            <translation>Es gibt keinen Lauf {number}.</translation>
        </message>
        <message>
            <source>Runs: {wishes}.</source>
            <translation>Läufe: {wishes}.</translation>
        </message>
        <message>
            <source>A run needs a name to be kept under.</source>
            <translation>Ein Lauf braucht einen Namen, um behalten zu werden.</translation>
        </message>
        <message>
            <source>Write one.</source>
            <translation>Einen schreiben.</translation>
        </message>
        <message>
            <source>{tokens} and {tokens2} tokens</source>
            <translation>{tokens} und {tokens2} Token</translation>
        </message>
        <message>
            <source>Runs: {runs}.</source>
            <translation>Läufe: {runs}.</translation>
        </message>
        <message>
            <source>Before is {names}, after is {names2}.</source>
            <translation>Vorher ist {names}, nachher ist {names2}.</translation>
        </message>
        <message>
            <source>Nothing was swept yet.</source>
            <translation>Noch nichts wurde variiert.</translation>
        </message>
        <message>
            <source>Open Sweep first.</source>
            <translation>Zuerst Variieren öffnen.</translation>
        </message>
        <message>
            <source>#{value} stands in the result as it is.</source>
            <translation>#{value} steht im Ergebnis, wie sie ist.</translation>
        </message>
        <message>
            <source>Nothing to put back.</source>
            <translation>Nichts zurückzuholen.</translation>
        </message>
        <message>
            <source>waiting for an answer</source>
            <translation>wartet auf eine Antwort</translation>
        </message>
        <message>
            <source>A call of this turn has no answer yet; the turn stays.</source>
            <translation>Ein Aufruf dieses Zugs hat noch keine Antwort; der Zug bleibt.</translation>
        </message>
        <message>
            <source>call {id}</source>
            <translation>Aufruf {id}</translation>
        </message>
        <message>
            <source>response {id}</source>
            <translation>Antwort {id}</translation>
        </message>
        <message>
            <source>— context compacted ({sizes} tokens) —</source>
            <translation>— Kontext verdichtet ({sizes} Token) —</translation>
        </message>
        <message>
            <source>— context compacted —</source>
            <translation>— Kontext verdichtet —</translation>
        </message>
        <message>
            <source>While it ran, the history was cleared or replaced.</source>
            <translation>Währenddessen wurde der Verlauf geleert oder ersetzt.</translation>
        </message>
        <message>
            <source>The result is not smaller: {before} tokens became {after}.</source>
            <translation>Das Ergebnis ist nicht kleiner: aus {before} Token wurden {after}.</translation>
        </message>
        <message>
            <source>While it ran, an answer to a call in the compressed part was added.</source>
            <translation>Währenddessen kam eine Antwort auf einen Aufruf im verdichteten Teil dazu.</translation>
        </message>
        <message>
            <source>The open tasks are not in the summary request: {error}.</source>
            <translation>Die offenen Aufgaben stehen nicht in der Anfrage nach der Zusammenfassung: {error}.</translation>
        </message>
        <message>
            <source>The next request would take {total} tokens ({used} history and system prompt, {pending} pending, {budget} for the answer); {usable} of the window of {limit} can be used.</source>
            <translation>Die nächste Anfrage bräuchte {total} Token ({used} Verlauf und System-Prompt, {pending} ausstehend, {budget} für die Antwort); {usable} des Fensters von {limit} sind nutzbar.</translation>
        </message>
        <message>
            <source>Lower the output budget, raise {limit}, or start with a shorter history.</source>
            <translation>Das Ausgabebudget senken, {limit} erhöhen oder mit kürzerem Verlauf beginnen.</translation>
        </message>
        <message>
            <source>last only</source>
            <translation>nur zuletzt</translation>
        </message>
        <message>
            <source>not sent</source>
            <translation>nicht gesendet</translation>
        </message>
        <message>
            <source>A density result cannot be applied while a compression runs.</source>
            <translation>Ein Dichte-Ergebnis kann nicht angewandt werden, während verdichtet wird.</translation>
        </message>
        <message>
            <source>Did you mean {near}?</source>
            <translation>Gemeint ist vielleicht {near}.</translation>
        </message>
        <message>
            <source>Open one first.</source>
            <translation>Zuerst eines öffnen.</translation>
        </message>
        <message>
            <source>thinking without a signature</source>
            <translation>Denken ohne Signatur</translation>
        </message>
        <message>
            <source>call arguments that are no object</source>
            <translation>Argumente eines Aufrufs, die kein Objekt sind</translation>
        </message>
        <message>
            <source>{mime} data</source>
            <translation>{mime}-Daten</translation>
        </message>
        <message>
            <source>code block as text</source>
            <translation>Code-Block als Text</translation>
        </message>
        <message>
            <source>unknown block</source>
            <translation>unbekannter Block</translation>
        </message>
        <message>
            <source>system message as user</source>
            <translation>System-Nachricht als user</translation>
        </message>
        <message>
            <source>message of an unknown role as user</source>
            <translation>Nachricht einer unbekannten Rolle als user</translation>
        </message>
        <message>
            <source>tool result of the assistant</source>
            <translation>Tool-Ergebnis des Assistenten</translation>
        </message>
        <message>
            <source>answer as the first message: a few words of the user stand before it</source>
            <translation>Antwort als erste Nachricht: ein paar Worte des Nutzers stehen davor</translation>
        </message>
        <message>
            <source>A report is made of a preview.</source>
            <translation>Ein Bericht wird aus einer Vorschau gemacht.</translation>
        </message>
        <message>
            <source>Give it one, or export a transcript.</source>
            <translation>Eine geben oder ein Transkript exportieren.</translation>
        </message>
        <message>
            <source>Left out, {target} has no place for it: {listed}.</source>
            <translation>Weggelassen, {target} hat keinen Platz dafür: {listed}.</translation>
        </message>
        <message>
            <source>Written differently for {target}: {listed}.</source>
            <translation>Anders geschrieben für {target}: {listed}.</translation>
        </message>
        <message>
            <source>system prompt</source>
            <translation>System-Prompt</translation>
        </message>
        <message>
            <source>tool definition</source>
            <translation>Tool-Definition</translation>
        </message>
        <message>
            <source>name of the model</source>
            <translation>Name des Modells</translation>
        </message>
        <message>
            <source>time of a message</source>
            <translation>Zeit einer Nachricht</translation>
        </message>
        <message>
            <source>id of a tool call</source>
            <translation>ID eines Tool-Aufrufs</translation>
        </message>
        <message>
            <source>mark of a recorded compaction</source>
            <translation>Zeichen einer aufgezeichneten Verdichtung</translation>
        </message>
        <message>
            <source>further fields ({some})</source>
            <translation>weitere Felder ({some})</translation>
        </message>
        <message>
            <source>The earlier part of this session was shortened without a summary.</source>
            <translation>Der frühere Teil dieser Sitzung wurde ohne Zusammenfassung gekürzt.</translation>
        </message>
        <message>
            <source>The earlier summary goes, though it stays in the result: {agent} has one summary at a time.</source>
            <translation>Die frühere Zusammenfassung entfällt, obwohl sie im Ergebnis bleibt: {agent} hat immer nur eine Zusammenfassung.</translation>
        </message>
        <message>
            <source>{name} is not {what}; no compaction can be appended.</source>
            <translation>{name} ist nicht {what}; eine Verdichtung lässt sich nicht anhängen.</translation>
        </message>
        <message>
            <source>Leave --append-boundary out.</source>
            <translation>--append-boundary weglassen.</translation>
        </message>
        <message>
            <source>message is</source>
            <translation>Nachricht ist</translation>
        </message>
        <message>
            <source>messages are</source>
            <translation>Nachrichten sind</translation>
        </message>
        <message>
            <source>{changed} edited {what} kept whole behind the boundary, which only names them.</source>
            <translation>{changed} bearbeitete {what} ganz hinter der Grenze behalten, die sie nur nennt.</translation>
        </message>
        <message>
            <source>message comes</source>
            <translation>Nachricht kommt</translation>
        </message>
        <message>
            <source>messages come</source>
            <translation>Nachrichten kommen</translation>
        </message>
        <message>
            <source>{along} more {what} along, so that no result stands without its call.</source>
            <translation>{along} weitere {what} mit, damit kein Ergebnis ohne seinen Aufruf steht.</translation>
        </message>
        <message>
            <source>There is no summary; the line after the boundary only says so.</source>
            <translation>Es gibt keine Zusammenfassung; die Zeile nach der Grenze sagt nur das.</translation>
        </message>
        <message>
            <source>message has</source>
            <translation>Nachricht hat</translation>
        </message>
        <message>
            <source>messages have</source>
            <translation>Nachrichten haben</translation>
        </message>
        <message>
            <source>{out} more inserted {what} no place in the record and will be missing.</source>
            <translation>{out} weitere eingefügte {what} keinen Platz in der Aufzeichnung und werden fehlen.</translation>
        </message>
        <message>
            <source>{name} goes on with branch 1, not with branch {branch}; no boundary can be appended.</source>
            <translation>{name} geht mit Zweig 1 weiter, nicht mit Zweig {branch}; es kann keine Grenze angehängt werden.</translation>
        </message>
        <message>
            <source>No agent goes on with a sub-agent's conversation of {name}; no boundary can be appended.</source>
            <translation>Kein Agent macht mit dem Gespräch eines Unteragenten aus {name} weiter; es kann keine Grenze angehängt werden.</translation>
        </message>
        <message>
            <source>uuid of a message that stays comes</source>
            <translation>uuid einer Nachricht, die bleibt, kommt</translation>
        </message>
        <message>
            <source>uuids of messages that stay come</source>
            <translation>uuids von Nachrichten, die bleiben, kommen</translation>
        </message>
        <message>
            <source>{count} {what} more than once in the session; the boundary may be read as keeping others.</source>
            <translation>{count} {what} mehr als einmal in der Sitzung vor; die Grenze kann so gelesen werden, als blieben andere.</translation>
        </message>
        <message>
            <source>{name} is no Claude Code session of lines; no boundary can be appended.</source>
            <translation>{name} ist keine Claude-Code-Sitzung aus Zeilen; eine Grenze lässt sich nicht anhängen.</translation>
        </message>
        <message>
            <source>Nothing was compacted, so no boundary was appended.</source>
            <translation>Nichts wurde verdichtet, also wurde keine Grenze angehängt.</translation>
        </message>
        <message>
            <source>compaction is</source>
            <translation>Verdichtung ist</translation>
        </message>
        <message>
            <source>compactions are</source>
            <translation>Verdichtungen sind</translation>
        </message>
        <message>
            <source>{count} recorded {what} not repeated; the export is a history of its own.</source>
            <translation>{count} aufgezeichnete {what} nicht wiederholt; der Export ist ein eigener Verlauf.</translation>
        </message>
        <message>
            <source>{name} is no Codex rollout of lines; no compaction can be appended.</source>
            <translation>{name} ist kein Codex-Rollout aus Zeilen; eine Verdichtung lässt sich nicht anhängen.</translation>
        </message>
        <message>
            <source>Nothing was compacted, so no compaction was appended.</source>
            <translation>Nichts wurde verdichtet, also wurde keine Verdichtung angehängt.</translation>
        </message>
        <message>
            <source>The boundary stands for the whole session; the agent had only what its last compaction left. In the scope current (--scope current) it stands for that.</source>
            <translation>Die Grenze steht für die ganze Sitzung; der Agent hatte nur, was seine letzte Verdichtung übrig ließ. Im Umfang current (--scope current) steht sie dafür.</translation>
        </message>
        <message>
            <source>There is no message to write; the file may be one that nothing opens.</source>
            <translation>Es gibt keine Nachricht zu schreiben; die Datei könnte eine sein, die nichts öffnet.</translation>
        </message>
        <message>
            <source>{join} or {names}</source>
            <translation>{join} oder {names}</translation>
        </message>
        <message>
            <source>{count} secrets (keys, tokens, mail addresses)</source>
            <translation>{count} Geheimnisse (Schlüssel, Token, Mailadressen)</translation>
        </message>
        <message>
            <source>{count} secret (keys, tokens, mail addresses)</source>
            <translation>{count} Geheimnis (Schlüssel, Token, Mailadressen)</translation>
        </message>
        <message>
            <source>The export holds {what}; redaction is off.</source>
            <translation>Der Export enthält {what}; Schwärzen ist aus.</translation>
        </message>
        <message>
            <source>{label} has no compaction boundary to append.</source>
            <translation>{label} kennt keine Verdichtungsgrenze zum Anhängen.</translation>
        </message>
        <message>
            <source>Export as {listed}, or without --append-boundary.</source>
            <translation>Als {listed} exportieren oder ohne --append-boundary.</translation>
        </message>
        <message>
            <source>{label} has no place for provenance.</source>
            <translation>{label} hat keinen Platz für Herkunft.</translation>
        </message>
        <message>
            <source>Formats that have: {able}.</source>
            <translation>Formate, die ihn haben: {able}.</translation>
        </message>
        <message>
            <source>A source has no provenance.</source>
            <translation>Eine Quelle hat keine Herkunft.</translation>
        </message>
        <message>
            <source>Export a compaction of it.</source>
            <translation>Eine Verdichtung davon exportieren.</translation>
        </message>
        <message>
            <source>Documents of plain text became texts of their messages ({count}).</source>
            <translation>Aus Dokumenten in reinem Text wurden Texte ihrer Nachrichten ({count}).</translation>
        </message>
        <message>
            <source>{what} written over.</source>
            <translation>{what} überschrieben.</translation>
        </message>
        <message>
            <source>thinking without words</source>
            <translation>Denken ohne Worte</translation>
        </message>
        <message>
            <source>media of a tool result as parts beside it</source>
            <translation>Medien eines Tool-Ergebnisses als Teile daneben</translation>
        </message>
        <message>
            <source>message without content</source>
            <translation>Nachricht ohne Inhalt</translation>
        </message>
        <message>
            <source>{value} message as user</source>
            <translation>{value}-Nachricht als user</translation>
        </message>
        <message>
            <source>The summary of this golden case is not written yet.</source>
            <translation>Die Zusammenfassung dieses Golden Case ist noch nicht geschrieben.</translation>
        </message>
        <message>
            <source>Compact first, or use the profile offline.</source>
            <translation>Zuerst verdichten oder das Profil offline nehmen.</translation>
        </message>
        <message>
            <source>{value} message as human</source>
            <translation>{value}-Nachricht als human</translation>
        </message>
        <message>
            <source>media of a tool result as user message</source>
            <translation>Medien eines Tool-Ergebnisses als Nachricht des Nutzers</translation>
        </message>
        <message>
            <source>the Responses API</source>
            <translation>die Responses-API</translation>
        </message>
        <message>
            <source>reasoning without its encrypted content</source>
            <translation>Denken ohne seinen verschlüsselten Inhalt</translation>
        </message>
        <message>
            <source>message of another agent as user</source>
            <translation>Nachricht eines anderen Agenten als user</translation>
        </message>
        <message>
            <source>recorded condensation</source>
            <translation>aufgezeichnete Kondensation</translation>
        </message>
        <message>
            <source>a run of OpenHands whose events have ids</source>
            <translation>ein Lauf von OpenHands, dessen Ereignisse IDs haben</translation>
        </message>
        <message>
            <source>Nothing was compacted, so no condensation was appended.</source>
            <translation>Nichts wurde verdichtet, also wurde keine Kondensation angehängt.</translation>
        </message>
        <message>
            <source>result of a new message as text</source>
            <translation>Ergebnis einer neuen Nachricht als Text</translation>
        </message>
        <message>
            <source>call of a new message</source>
            <translation>Aufruf einer neuen Nachricht</translation>
        </message>
        <message>
            <source>several system prompts as one</source>
            <translation>mehrere System-Prompts als einer</translation>
        </message>
        <message>
            <source>thinking without a signature beside signed</source>
            <translation>Denken ohne Signatur neben signiertem</translation>
        </message>
        <message>
            <source>several thoughts as one</source>
            <translation>mehrere Gedanken als einer</translation>
        </message>
        <message>
            <source>message that stays stands</source>
            <translation>Nachricht, die bleibt, steht</translation>
        </message>
        <message>
            <source>messages that stay stand</source>
            <translation>Nachrichten, die bleiben, stehen</translation>
        </message>
        <message>
            <source>{count} {what} in front of others; Pi keeps the end of a session only, so it will not have them.</source>
            <translation>{count} {what} vor anderen; Pi behält nur das Ende einer Sitzung und wird sie also nicht haben.</translation>
        </message>
        <message>
            <source>a Pi session of lines</source>
            <translation>eine Pi-Sitzung aus Zeilen</translation>
        </message>
        <message>
            <source>linked image</source>
            <translation>verlinktes Bild</translation>
        </message>
        <message>
            <source>{name} changed since it was read.</source>
            <translation>{name} änderte sich seit dem Lesen.</translation>
        </message>
        <message>
            <source>Open it again, then export.</source>
            <translation>Noch einmal öffnen, dann exportieren.</translation>
        </message>
        <message>
            <source>Nothing can be exported as {name}.</source>
            <translation>Als {name} lässt sich nichts exportieren.</translation>
        </message>
        <message>
            <source>The settings of the request ({some}) are not carried over.</source>
            <translation>Die Einstellungen der Anfrage ({some}) werden nicht übernommen.</translation>
        </message>
        <message>
            <source>reasoning without the item that it led to</source>
            <translation>Denken ohne das Element, zu dem es führte</translation>
        </message>
        <message>
            <source>media of the assistant</source>
            <translation>Medien des Assistenten</translation>
        </message>
        <message>
            <source>shortened list of found tools as an empty one</source>
            <translation>gekürzte Liste gefundener Tools als leere</translation>
        </message>
        <message>
            <source>error mark of a tool result</source>
            <translation>Fehlerzeichen eines Tool-Ergebnisses</translation>
        </message>
        <message>
            <source>words of an error beside its result</source>
            <translation>Worte eines Fehlers neben seinem Ergebnis</translation>
        </message>
        <message>
            <source>media in a tool result</source>
            <translation>Medien in einem Tool-Ergebnis</translation>
        </message>
        <message>
            <source>message of an unknown speaker as human</source>
            <translation>Nachricht eines unbekannten Sprechers als human</translation>
        </message>
        <message>
            <source>several texts of a message as one</source>
            <translation>mehrere Texte einer Nachricht als einer</translation>
        </message>
        <message>
            <source>parallel calls one after the other</source>
            <translation>parallele Aufrufe nacheinander</translation>
        </message>
        <message>
            <source>{queries} steps without what was sent at them (query)</source>
            <translation>{queries} Schritte ohne das, was dabei gesendet wurde (query)</translation>
        </message>
        <message>
            <source>Install it again (pip install --force-reinstall {package}=={release}) or take it away.</source>
            <translation>Neu installieren (pip install --force-reinstall {package}=={release}) oder entfernen.</translation>
        </message>
        <message>
            <source>{package} is installed but cannot be loaded: {error}.</source>
            <translation>{package} ist installiert, lässt sich aber nicht laden: {error}.</translation>
        </message>
        <message>
            <source>Foldline {version}, Python {python}, {system} {machine}</source>
            <translation>Foldline {version}, Python {python}, {system} {machine}</translation>
        </message>
        <message>
            <source>While: {doing}</source>
            <translation>Während: {doing}</translation>
        </message>
        <message>
            <source>Run it again with --verbose to see them.</source>
            <translation>Mit --verbose noch einmal starten, um sie zu sehen.</translation>
        </message>
        <message>
            <source>Foldline failed: {what}. {where}{way_out}</source>
            <translation>Foldline ist gescheitert: {what}. {where}{way_out}</translation>
        </message>
        <message>
            <source>The folder {folder} may not be written to.</source>
            <translation>In den Ordner {folder} darf nicht geschrieben werden.</translation>
        </message>
        <message>
            <source>Choose another folder.</source>
            <translation>Einen anderen Ordner wählen.</translation>
        </message>
        <message>
            <source>The folder {folder} is on a read-only disk.</source>
            <translation>Der Ordner {folder} liegt auf einem schreibgeschützten Datenträger.</translation>
        </message>
        <message>
            <source>The disk that holds {folder} is full; nothing was written.</source>
            <translation>Der Datenträger mit {folder} ist voll; nichts wurde geschrieben.</translation>
        </message>
        <message>
            <source>Make room and try again.</source>
            <translation>Platz schaffen und noch einmal versuchen.</translation>
        </message>
        <message>
            <source>Your share of the disk that holds {folder} is used up; nothing was written.</source>
            <translation>Ihr Anteil am Datenträger mit {folder} ist aufgebraucht; nichts wurde geschrieben.</translation>
        </message>
        <message>
            <source>The name {name} is too long for this disk.</source>
            <translation>Der Name {name} ist zu lang für diesen Datenträger.</translation>
        </message>
        <message>
            <source>Choose a shorter one.</source>
            <translation>Einen kürzeren wählen.</translation>
        </message>
        <message>
            <source>{path} is a link that leads to itself.</source>
            <translation>{path} ist ein Link, der auf sich selbst führt.</translation>
        </message>
        <message>
            <source>{path} is not the name of a file.</source>
            <translation>{path} ist kein Dateiname.</translation>
        </message>
        <message>
            <source>Name a file to write to.</source>
            <translation>Eine Datei zum Schreiben nennen.</translation>
        </message>
        <message>
            <source>The folder {parent} does not exist.</source>
            <translation>Den Ordner {parent} gibt es nicht.</translation>
        </message>
        <message>
            <source>Create it or choose another one.</source>
            <translation>Ihn anlegen oder einen anderen wählen.</translation>
        </message>
        <message>
            <source>{path} is a folder.</source>
            <translation>{path} ist ein Ordner.</translation>
        </message>
        <message>
            <source>Name a file in it.</source>
            <translation>Eine Datei darin nennen.</translation>
        </message>
        <message>
            <source>{path} is the transcript itself; Foldline never writes over its source.</source>
            <translation>{path} ist das Transkript selbst; Foldline überschreibt seine Quelle nie.</translation>
        </message>
        <message>
            <source>{path} could not be written: {cause}.</source>
            <translation>{path} ließ sich nicht schreiben: {cause}.</translation>
        </message>
        <message>
            <source>Choose another name or folder.</source>
            <translation>Einen anderen Namen oder Ordner wählen.</translation>
        </message>
        <message>
            <source>{path} exists already and is no {kind}.</source>
            <translation>{path} gibt es schon, und es ist kein {kind}.</translation>
        </message>
        <message>
            <source>{path} is not a regular file.</source>
            <translation>{path} ist keine gewöhnliche Datei.</translation>
        </message>
        <message>
            <source>Choose another name, or - for standard output.</source>
            <translation>Einen anderen Namen wählen oder - für die Standardausgabe.</translation>
        </message>
        <message>
            <source>Choose another name, or allow it to be replaced.</source>
            <translation>Einen anderen Namen wählen oder das Ersetzen erlauben.</translation>
        </message>
        <message>
            <source>chosen by hand</source>
            <translation>von Hand gewählt</translation>
        </message>
        <message>
            <source>{did_you_mean}Formats: {join}.</source>
            <translation>{did_you_mean}Formate: {join}.</translation>
        </message>
        <message>
            <source>There is no format "{name}".</source>
            <translation>Es gibt kein Format „{name}“.</translation>
        </message>
        <message>
            <source>{name} is JSON, but no transcript of a known format.</source>
            <translation>{name} ist JSON, aber kein Transkript eines bekannten Formats.</translation>
        </message>
        <message>
            <source>Force a reader with --format; formats: {names}.</source>
            <translation>Einen Leser mit --format erzwingen; Formate: {names}.</translation>
        </message>
        <message>
            <source>by content it is {likely}</source>
            <translation>nach dem Inhalt ist es {likely}</translation>
        </message>
        <message>
            <source>no known format fits it</source>
            <translation>kein bekanntes Format passt</translation>
        </message>
        <message>
            <source>it does not look like {label}, which was chosen by hand; {by_content}</source>
            <translation>es sieht nicht nach {label} aus, das von Hand gewählt wurde; {by_content}</translation>
        </message>
        <message>
            <source>{name} has no branches, so there is no branch {branch}.</source>
            <translation>{name} hat keine Zweige, also gibt es keinen Zweig {branch}.</translation>
        </message>
        <message>
            <source>Leave the branch out.</source>
            <translation>Den Zweig weglassen.</translation>
        </message>
        <message>
            <source>By content it is {likely}.</source>
            <translation>Nach dem Inhalt ist es {likely}.</translation>
        </message>
        <message>
            <source>Choose another format.</source>
            <translation>Ein anderes Format wählen.</translation>
        </message>
        <message>
            <source>Nothing in {name} can be read as {label}.</source>
            <translation>Nichts in {name} lässt sich als {label} lesen.</translation>
        </message>
        <message>
            <source>The person denied the call.</source>
            <translation>Die Person hat den Aufruf abgelehnt.</translation>
        </message>
        <message>
            <source>role and parts in {messages} of {records} {unit}</source>
            <translation>role und parts in {messages} von {records} {unit}</translation>
        </message>
        <message>
            <source>Vercel AI SDK</source>
            <translation>Vercel AI SDK</translation>
        </message>
        <message>
            <source>Messages of parts as apps with the AI SDK store them, a call and its result in one part.</source>
            <translation>Nachrichten aus Teilen, wie Apps mit dem AI SDK sie speichern, ein Aufruf und sein Ergebnis in einem Teil.</translation>
        </message>
        <message>
            <source>a message has no list of parts; kept as it is</source>
            <translation>eine Nachricht hat keine Liste von Teilen; belassen, wie sie ist</translation>
        </message>
        <message>
            <source>the role {role} is not known; kept as unknown</source>
            <translation>die Rolle {role} ist nicht bekannt; als unbekannt behalten</translation>
        </message>
        <message>
            <source>a number</source>
            <translation>eine Zahl</translation>
        </message>
        <message>
            <source>true or false</source>
            <translation>true oder false</translation>
        </message>
        <message>
            <source>an object</source>
            <translation>ein Objekt</translation>
        </message>
        <message>
            <source>content is {get}; kept as it is</source>
            <translation>der Inhalt ist {get}; belassen, wie er ist</translation>
        </message>
        <message>
            <source>a content block is not an object; kept as it is</source>
            <translation>ein Inhaltsblock ist kein Objekt; belassen, wie er ist</translation>
        </message>
        <message>
            <source>the message has no content; kept as it is</source>
            <translation>die Nachricht hat keinen Inhalt; belassen, wie sie ist</translation>
        </message>
        <message>
            <source>of an unknown kind</source>
            <translation>unbekannter Art</translation>
        </message>
        <message>
            <source>Messages of the Anthropic API: a JSON list or {system, messages, tools}; Roo and Cline histories.</source>
            <translation>Nachrichten der Anthropic-API: eine JSON-Liste oder {system, messages, tools}; Verläufe von Roo und Cline.</translation>
        </message>
        <message>
            <source>role in {roles} of {records} {unit}</source>
            <translation>role in {roles} von {records} {unit}</translation>
        </message>
        <message>
            <source>tools with input_schema</source>
            <translation>tools mit input_schema</translation>
        </message>
        <message>
            <source>system beside them</source>
            <translation>system daneben</translation>
        </message>
        <message>
            <source>each with ts</source>
            <translation>jede mit ts</translation>
        </message>
        <message>
            <source>tool_use, thinking or other blocks of its own in {blocks} of {roles} {unit}</source>
            <translation>tool_use, thinking oder andere eigene Blöcke in {blocks} von {roles} {unit}</translation>
        </message>
        <message>
            <source>role in {roles} of {records} {unit}, {signs}</source>
            <translation>role in {roles} von {records} {unit}, {signs}</translation>
        </message>
        <message>
            <source>a message is not an object; kept as it is</source>
            <translation>eine Nachricht ist kein Objekt; belassen, wie sie ist</translation>
        </message>
        <message>
            <source>the role "{role}" is not known</source>
            <translation>die Rolle „{role}“ ist nicht bekannt</translation>
        </message>
        <message>
            <source>a message has no readable role</source>
            <translation>eine Nachricht hat keine lesbare Rolle</translation>
        </message>
        <message>
            <source>{what}; kept as unknown</source>
            <translation>{what}; als unbekannt behalten</translation>
        </message>
        <message>
            <source>an empty list of messages beside system</source>
            <translation>eine leere Liste von Nachrichten neben system</translation>
        </message>
        <message>
            <source>{name} is a damaged {kind}: its list of contents is missing, so it was cut off.</source>
            <translation>{name} ist ein beschädigtes {kind}: Sein Inhaltsverzeichnis fehlt, es wurde also abgeschnitten.</translation>
        </message>
        <message>
            <source>{name} is a zip inside {packing} data.</source>
            <translation>{name} ist ein zip in {packing}-Daten.</translation>
        </message>
        <message>
            <source>Unpack it, then open the zip.</source>
            <translation>Es auspacken, dann das zip öffnen.</translation>
        </message>
        <message>
            <source>.eval zip</source>
            <translation>.eval-zip</translation>
        </message>
        <message>
            <source>Copy the log again once the run has ended.</source>
            <translation>Das Protokoll noch einmal kopieren, wenn der Lauf zu Ende ist.</translation>
        </message>
        <message>
            <source>Copy or download it again.</source>
            <translation>Noch einmal kopieren oder herunterladen.</translation>
        </message>
        <message>
            <source>{name} holds no {name2}.</source>
            <translation>{name} enthält kein {name2}.</translation>
        </message>
        <message>
            <source>Open the file again.</source>
            <translation>Die Datei noch einmal öffnen.</translation>
        </message>
        <message>
            <source>{name} in {name2} cannot be unpacked: {error}.</source>
            <translation>{name} in {name2} lässt sich nicht auspacken: {error}.</translation>
        </message>
        <message>
            <source>Unpack the zip, then open the file.</source>
            <translation>Das zip auspacken, dann die Datei öffnen.</translation>
        </message>
        <message>
            <source>{name} in {name2} is damaged.</source>
            <translation>{name} in {name2} ist beschädigt.</translation>
        </message>
        <message>
            <source>Unpack the zip to see what is left of it.</source>
            <translation>Das zip auspacken, um zu sehen, was davon übrig ist.</translation>
        </message>
        <message>
            <source>Agent trajectories as Harbor writes them: steps with their observations, sub-agents inside; no real file with a compaction was seen.</source>
            <translation>Abläufe von Agenten, wie Harbor sie schreibt: Schritte mit ihren Beobachtungen, Unteragenten darin; eine echte Datei mit Verdichtung wurde nicht gesehen.</translation>
        </message>
        <message>
            <source>{name} has no trajectory with a list "{steps}".</source>
            <translation>{name} hat keinen Ablauf mit einer Liste „{steps}“.</translation>
        </message>
        <message>
            <source>Choose an ATIF file, or let the format be found by content.</source>
            <translation>Eine ATIF-Datei wählen oder das Format am Inhalt finden lassen.</translation>
        </message>
        <message>
            <source>the trajectory goes on in {continued}; open that file for the rest</source>
            <translation>der Ablauf geht in {continued} weiter; für den Rest jene Datei öffnen</translation>
        </message>
        <message>
            <source>schema_version {version}</source>
            <translation>schema_version {version}</translation>
        </message>
        <message>
            <source>step_id and source in {steps} of {steps2} steps</source>
            <translation>step_id und source in {steps} von {steps2} Schritten</translation>
        </message>
        <message>
            <source>the record has no list of {steps}; it was skipped</source>
            <translation>der Datensatz hat keine Liste von {steps}; er wurde übersprungen</translation>
        </message>
        <message>
            <source>without {steps}</source>
            <translation>ohne {steps}</translation>
        </message>
        <message>
            <source>a step is not an object; kept as it is</source>
            <translation>ein Schritt ist kein Objekt; belassen, wie er ist</translation>
        </message>
        <message>
            <source>the source {given} is not known; kept as unknown</source>
            <translation>die Quelle {given} ist nicht bekannt; als unbekannt behalten</translation>
        </message>
        <message>
            <source>a tool call is not an object; kept as it is</source>
            <translation>ein Tool-Aufruf ist kein Objekt; belassen, wie er ist</translation>
        </message>
        <message>
            <source>a result names no call; it was taken as the answer to {call_id}</source>
            <translation>ein Ergebnis nennt keinen Aufruf; es gilt als Antwort auf {call_id}</translation>
        </message>
        <message>
            <source>Session files of Claude Code: JSONL, one record a line, with uuid and parentUuid; no real file with cleared results or kept messages was seen.</source>
            <translation>Sitzungsdateien von Claude Code: JSONL, ein Datensatz je Zeile, mit uuid und parentUuid; eine echte Datei mit geleerten Ergebnissen oder behaltenen Nachrichten wurde nicht gesehen.</translation>
        </message>
        <message>
            <source>user and assistant records with a message in {known} of {total}</source>
            <translation>user- und assistant-Datensätze mit einer Nachricht in {known} von {total}</translation>
        </message>
        <message>
            <source>without a type</source>
            <translation>ohne Art</translation>
        </message>
        <message>
            <source>has {count} branches</source>
            <translation>hat {count} Zweige</translation>
        </message>
        <message>
            <source>has no branches</source>
            <translation>hat keine Zweige</translation>
        </message>
        <message>
            <source>Choose a number from 1 to {count}.</source>
            <translation>Eine Zahl von 1 bis {count} wählen.</translation>
        </message>
        <message>
            <source>{name} {has}, so there is no branch {number}.</source>
            <translation>{name} {has}, also gibt es keinen Zweig {number}.</translation>
        </message>
        <message>
            <source>uuid and parentUuid in {linked} of {total}</source>
            <translation>uuid und parentUuid in {linked} von {total}</translation>
        </message>
        <message>
            <source>the record has no type; it was skipped</source>
            <translation>der Datensatz hat keine Art; er wurde übersprungen</translation>
        </message>
        <message>
            <source>the line is JSON but not an object; it was skipped</source>
            <translation>die Zeile ist JSON, aber kein Objekt; sie wurde übersprungen</translation>
        </message>
        <message>
            <source>not an object</source>
            <translation>kein Objekt</translation>
        </message>
        <message>
            <source>side chain</source>
            <translation>Nebenkette</translation>
        </message>
        <message>
            <source>chain {lane}</source>
            <translation>Kette {lane}</translation>
        </message>
        <message>
            <source>other branch</source>
            <translation>anderer Zweig</translation>
        </message>
        <message>
            <source>main conversation</source>
            <translation>Hauptgespräch</translation>
        </message>
        <message>
            <source>the message is not an object; kept as it is</source>
            <translation>die Nachricht ist kein Objekt; belassen, wie sie ist</translation>
        </message>
        <message>
            <source>the uuid {uuid} comes again; both lines were read</source>
            <translation>die uuid {uuid} kommt noch einmal; beide Zeilen wurden gelesen</translation>
        </message>
        <message>
            <source>the parents of {uuid} lead round in a circle; lines are in file order</source>
            <translation>die Eltern von {uuid} führen im Kreis; die Zeilen stehen in der Reihenfolge der Datei</translation>
        </message>
        <message>
            <source>context was compacted</source>
            <translation>der Kontext wurde verdichtet</translation>
        </message>
        <message>
            <source>messages that the compaction removed and this file does not have: {removed}</source>
            <translation>Nachrichten, die die Verdichtung entfernt hat und die in dieser Datei fehlen: {removed}</translation>
        </message>
        <message>
            <source>Sessions of the Cline SDK (messages.json), and what a compaction left of one (compaction.json).</source>
            <translation>Sitzungen des Cline SDK (messages.json), und was eine Verdichtung davon übrig ließ (compaction.json).</translation>
        </message>
        <message>
            <source>{join} beside {records} {unit}</source>
            <translation>{join} neben {records} {unit}</translation>
        </message>
        <message>
            <source>the role of a message is not known; kept as unknown</source>
            <translation>die Rolle einer Nachricht ist nicht bekannt; als unbekannt behalten</translation>
        </message>
        <message>
            <source>Cline, Roo (display log)</source>
            <translation>Cline, Roo (Anzeigeprotokoll)</translation>
        </message>
        <message>
            <source>What the panel of Cline, Roo or Kilo showed (ui_messages.json). A display log: the requests are in api_conversation_history.json beside it, read as Anthropic messages.</source>
            <translation>Was die Tafel von Cline, Roo oder Kilo zeigte (ui_messages.json). Ein Anzeigeprotokoll: Die Anfragen stehen daneben in api_conversation_history.json, gelesen als Anthropic-Nachrichten.</translation>
        </message>
        <message>
            <source>ts and say or ask in {rows} of {total} rows</source>
            <translation>ts und say oder ask in {rows} von {total} Zeilen</translation>
        </message>
        <message>
            <source>the row was never finished: {row} {kind}</source>
            <translation>die Zeile wurde nie beendet: {row} {kind}</translation>
        </message>
        <message>
            <source>{row} {kind}, empty</source>
            <translation>{row} {kind}, leer</translation>
        </message>
        <message>
            <source>{value} {kind} without figures</source>
            <translation>{value} {kind} ohne Zahlen</translation>
        </message>
        <message>
            <source>the log does not say which messages the truncation kept</source>
            <translation>das Protokoll sagt nicht, welche Nachrichten beim Kürzen blieben</translation>
        </message>
        <message>
            <source>the record is no row of a log; it was skipped</source>
            <translation>der Datensatz ist keine Zeile eines Protokolls; er wurde übersprungen</translation>
        </message>
        <message>
            <source>not a row</source>
            <translation>keine Zeile</translation>
        </message>
        <message>
            <source>{row} {kind} without a call</source>
            <translation>{row} {kind} ohne Aufruf</translation>
        </message>
        <message>
            <source>joined with {count} lines of {name}, the history that it goes on with</source>
            <translation>verbunden mit {count} Zeilen von {name}, dem Verlauf, den er fortsetzt</translation>
        </message>
        <message>
            <source>this rollout goes on with another file's history (history_base), which is not in it</source>
            <translation>dieser Rollout setzt den Verlauf einer anderen Datei fort (history_base), der nicht darin steht</translation>
        </message>
        <message>
            <source>only what lies beside a file of its own is joined with it</source>
            <translation>nur was neben einer eigenen Datei liegt, wird damit verbunden</translation>
        </message>
        <message>
            <source>its first line cannot be read</source>
            <translation>die erste Zeile ist nicht lesbar</translation>
        </message>
        <message>
            <source>it does not say where {name} was left</source>
            <translation>sie sagt nicht, wo {name} verlassen wurde</translation>
        </message>
        <message>
            <source>it does not name the other one</source>
            <translation>sie nennt die andere nicht</translation>
        </message>
        <message>
            <source>no file of it lies</source>
            <translation>keine Datei davon liegt</translation>
        </message>
        <message>
            <source>{found} files of it lie</source>
            <translation>{found} Dateien davon liegen</translation>
        </message>
        <message>
            <source>{what} beside this one (rollout-…-{id}.jsonl)</source>
            <translation>{what} neben dieser (rollout-…-{id}.jsonl)</translation>
        </message>
        <message>
            <source>{name} goes on with itself</source>
            <translation>{name} setzt sich selbst fort</translation>
        </message>
        <message>
            <source>together they hold more than {value} MB</source>
            <translation>zusammen enthalten sie mehr als {value} MB</translation>
        </message>
        <message>
            <source>{name} is shorter than it was when this one began</source>
            <translation>{name} ist kürzer als zu Beginn dieser Datei</translation>
        </message>
        <message>
            <source>the folder cannot be read</source>
            <translation>der Ordner ist nicht lesbar</translation>
        </message>
        <message>
            <source>a compaction refers to an item that is not in the file; left out</source>
            <translation>eine Verdichtung verweist auf ein Element, das nicht in der Datei ist; weggelassen</translation>
        </message>
        <message>
            <source>Rollouts of the Codex CLI: JSONL with a type and a payload a line; older ones with bare items.</source>
            <translation>Rollouts der Codex CLI: JSONL mit type und payload je Zeile; ältere mit bloßen Elementen.</translation>
        </message>
        <message>
            <source>type and payload of Codex in {wrapped} of {total} lines</source>
            <translation>type und payload von Codex in {wrapped} von {total} Zeilen</translation>
        </message>
        <message>
            <source>bare items of Codex in {known} of {total} lines</source>
            <translation>bloße Elemente von Codex in {known} von {total} Zeilen</translation>
        </message>
        <message>
            <source>session header</source>
            <translation>Sitzungskopf</translation>
        </message>
        <message>
            <source>response_item: {kind}</source>
            <translation>response_item: {kind}</translation>
        </message>
        <message>
            <source>event_msg: {kind}</source>
            <translation>event_msg: {kind}</translation>
        </message>
        <message>
            <source>the rollout has no items, only events; messages were read from those</source>
            <translation>der Rollout hat keine Elemente, nur Ereignisse; daraus wurden die Nachrichten gelesen</translation>
        </message>
        <message>
            <source>record_type: {text_of}</source>
            <translation>record_type: {text_of}</translation>
        </message>
        <message>
            <source>Copilot CLI</source>
            <translation>Copilot CLI</translation>
        </message>
        <message>
            <source>Sessions of GitHub Copilot CLI: events.jsonl, and the JSON with a timeline of 2025; no real file with a compaction was seen.</source>
            <translation>Sitzungen der GitHub Copilot CLI: events.jsonl und das JSON mit einer timeline von 2025; eine echte Datei mit Verdichtung wurde nicht gesehen.</translation>
        </message>
        <message>
            <source>type and data of events in {events} of {total} lines</source>
            <translation>type und data von Ereignissen in {events} von {total} Zeilen</translation>
        </message>
        <message>
            <source>{known} of {found} entries of the timeline are known</source>
            <translation>{known} von {found} Einträgen der timeline sind bekannt</translation>
        </message>
        <message>
            <source>message of another conversation</source>
            <translation>Nachricht eines anderen Gesprächs</translation>
        </message>
        <message>
            <source>the line is no event of a session; it was skipped</source>
            <translation>die Zeile ist kein Ereignis einer Sitzung; sie wurde übersprungen</translation>
        </message>
        <message>
            <source>not an event</source>
            <translation>kein Ereignis</translation>
        </message>
        <message>
            <source>messages truncated: {removed}; the log does not say which: the oldest are taken</source>
            <translation>abgeschnittene Nachrichten: {removed}; das Protokoll sagt nicht, welche: Die ältesten werden angenommen</translation>
        </message>
        <message>
            <source>taken back by a rewind</source>
            <translation>durch Zurückspulen zurückgenommen</translation>
        </message>
        <message>
            <source>the call of {value} was taken from its start</source>
            <translation>der Aufruf von {value} wurde seinem Beginn entnommen</translation>
        </message>
        <message>
            <source>the rewind names an event that is not in the file; it was skipped</source>
            <translation>das Zurückspulen nennt ein Ereignis, das nicht in der Datei ist; es wurde übersprungen</translation>
        </message>
        <message>
            <source>a document has a path or data</source>
            <translation>ein Dokument hat einen Pfad oder Daten</translation>
        </message>
        <message>
            <source>standard input</source>
            <translation>Standardeingabe</translation>
        </message>
        <message>
            <source>{name} starts as {upper} but is damaged at byte {start}.</source>
            <translation>{name} beginnt als {upper}, ist aber bei Byte {start} beschädigt.</translation>
        </message>
        <message>
            <source>Save it again as UTF-8.</source>
            <translation>Noch einmal als UTF-8 speichern.</translation>
        </message>
        <message>
            <source>zero bytes in front of the record were left out</source>
            <translation>Nullbytes vor dem Eintrag wurden weggelassen</translation>
        </message>
        <message>
            <source>Requests of the Gemini API ({contents, systemInstruction, tools}), and chats that Gemini CLI saved.</source>
            <translation>Anfragen der Gemini-API ({contents, systemInstruction, tools}) und Chats, die Gemini CLI gespeichert hat.</translation>
        </message>
        <message>
            <source>parts of a role user or model in {found} of {records} {unit}</source>
            <translation>parts einer Rolle user oder model in {found} von {records} {unit}</translation>
        </message>
        <message>
            <source>an empty list of contents</source>
            <translation>eine leere Liste contents</translation>
        </message>
        <message>
            <source>an entry is not an object; kept as it is</source>
            <translation>ein Eintrag ist kein Objekt; belassen, wie er ist</translation>
        </message>
        <message>
            <source>Sessions of Gemini CLI: JSON with sessionId and messages, or the log (JSONL) that later versions write; no real log was seen.</source>
            <translation>Sitzungen von Gemini CLI: JSON mit sessionId und messages oder das Protokoll (JSONL), das spätere Versionen schreiben; ein echtes Protokoll wurde nicht gesehen.</translation>
        </message>
        <message>
            <source>sessionId and projectHash in the first line</source>
            <translation>sessionId und projectHash in der ersten Zeile</translation>
        </message>
        <message>
            <source>records of the type gemini</source>
            <translation>Datensätze der Art gemini</translation>
        </message>
        <message>
            <source>{name} has {count} branch, not {branch}.</source>
            <translation>{name} hat {count} Zweig, nicht {branch}.</translation>
        </message>
        <message>
            <source>{name} has {count} branches, not {branch}.</source>
            <translation>{name} hat {count} Zweige, nicht {branch}.</translation>
        </message>
        <message>
            <source>sessionId and projectHash beside messages</source>
            <translation>sessionId und projectHash neben messages</translation>
        </message>
        <message>
            <source>messages of the types user and gemini</source>
            <translation>Nachrichten der Arten user und gemini</translation>
        </message>
        <message>
            <source>a record is not an object; it was skipped</source>
            <translation>ein Datensatz ist kein Objekt; er wurde übersprungen</translation>
        </message>
        <message>
            <source>history rewritten</source>
            <translation>Verlauf neu geschrieben</translation>
        </message>
        <message>
            <source>written again with the same id</source>
            <translation>noch einmal mit derselben ID geschrieben</translation>
        </message>
        <message>
            <source>at {start}</source>
            <translation>bei {start}</translation>
        </message>
        <message>
            <source>$set holds no fields; it was skipped</source>
            <translation>$set enthält keine Felder; es wurde übersprungen</translation>
        </message>
        <message>
            <source>history written again, nothing gone</source>
            <translation>Verlauf noch einmal geschrieben, nichts fehlt</translation>
        </message>
        <message>
            <source>$patch that could not be applied</source>
            <translation>$patch, das sich nicht anwenden ließ</translation>
        </message>
        <message>
            <source>a part of this $patch could not be applied: {fault}</source>
            <translation>ein Teil dieses $patch ließ sich nicht anwenden: {fault}</translation>
        </message>
        <message>
            <source>the rewind names a record that is not there; it took back everything</source>
            <translation>das Zurückspulen nennt einen Datensatz, den es nicht gibt; es nahm alles zurück</translation>
        </message>
        <message>
            <source>{index} of {start}</source>
            <translation>{index} von {start}</translation>
        </message>
        <message>
            <source>session fields</source>
            <translation>Sitzungsfelder</translation>
        </message>
        <message>
            <source>a part is not an object; kept as it is</source>
            <translation>ein Teil ist kein Objekt; belassen, wie er ist</translation>
        </message>
        <message>
            <source>what "{name}" means is not known</source>
            <translation>was „{name}“ bedeutet, ist nicht bekannt</translation>
        </message>
        <message>
            <source>it names nothing to change</source>
            <translation>es nennt nichts zu ändern</translation>
        </message>
        <message>
            <source>there is no record {id}</source>
            <translation>es gibt keinen Datensatz {id}</translation>
        </message>
        <message>
            <source>there is no call {id}</source>
            <translation>es gibt keinen Aufruf {id}</translation>
        </message>
        <message>
            <source>{kind}, shown only</source>
            <translation>{kind}, nur gezeigt</translation>
        </message>
        <message>
            <source>a record of the type {text_of} is not known; it was skipped</source>
            <translation>ein Datensatz der Art {text_of} ist nicht bekannt; er wurde übersprungen</translation>
        </message>
        <message>
            <source>tool results that are in their call's record already</source>
            <translation>Tool-Ergebnisse, die schon im Datensatz ihres Aufrufs stehen</translation>
        </message>
        <message>
            <source>Sessions of goose: the JSON of its export command, and the JSONL files of earlier versions.</source>
            <translation>Sitzungen von goose: das JSON seines Export-Befehls und die JSONL-Dateien früherer Versionen.</translation>
        </message>
        <message>
            <source>toolRequest, toolResponse and the like in {own} of {total} {unit}</source>
            <translation>toolRequest, toolResponse und dergleichen in {own} von {total} {unit}</translation>
        </message>
        <message>
            <source>created in each of the {unit}, {join}</source>
            <translation>created in allen {unit}, {join}</translation>
        </message>
        <message>
            <source>created in each of the {unit}</source>
            <translation>created in allen {unit}</translation>
        </message>
        <message>
            <source>an empty conversation</source>
            <translation>ein leeres Gespräch</translation>
        </message>
        <message>
            <source>content: {kind}</source>
            <translation>Inhalt: {kind}</translation>
        </message>
        <message>
            <source>an object was read whole</source>
            <translation>ein Objekt wurde im Ganzen gelesen</translation>
        </message>
        <message>
            <source>{name} has no list {names} at its top.</source>
            <translation>{name} hat oben keine Liste {names}.</translation>
        </message>
        <message>
            <source>Choose a transcript of this format, or let the format be found by content.</source>
            <translation>Ein Transkript dieses Formats wählen oder das Format am Inhalt finden lassen.</translation>
        </message>
        <message>
            <source>the record has no list of {keys}; it was skipped</source>
            <translation>der Datensatz hat keine Liste von {keys}; er wurde übersprungen</translation>
        </message>
        <message>
            <source>without {keys}</source>
            <translation>ohne {keys}</translation>
        </message>
        <message>
            <source>Logs of Inspect AI: .eval and JSON, with every sample and epoch as a conversation; single samples; no real file with a compaction was seen.</source>
            <translation>Protokolle von Inspect AI: .eval und JSON, jede Probe und Epoche ein Gespräch; einzelne Proben; eine echte Datei mit Verdichtung wurde nicht gesehen.</translation>
        </message>
        <message>
            <source>{name} is an eval log without samples: the run ended before it wrote one.</source>
            <translation>{name} ist ein Eval-Protokoll ohne Proben: Der Lauf endete, bevor er eine schrieb.</translation>
        </message>
        <message>
            <source>Choose the log of a run that finished a sample.</source>
            <translation>Das Protokoll eines Laufs wählen, der eine Probe beendet hat.</translation>
        </message>
        <message>
            <source>sample {named}</source>
            <translation>Probe {named}</translation>
        </message>
        <message>
            <source>{named}, epoch {epoch}</source>
            <translation>{named}, Epoche {epoch}</translation>
        </message>
        <message>
            <source>an eval beside its samples</source>
            <translation>ein eval neben seinen Proben</translation>
        </message>
        <message>
            <source>one sample: epoch and messages</source>
            <translation>eine Probe: Epoche und Nachrichten</translation>
        </message>
        <message>
            <source>{name} is no eval log: it is not one JSON object.</source>
            <translation>{name} ist kein Eval-Protokoll: Es ist nicht ein JSON-Objekt.</translation>
        </message>
        <message>
            <source>Choose a log of Inspect AI, or leave the format out.</source>
            <translation>Ein Protokoll von Inspect AI wählen oder das Format weglassen.</translation>
        </message>
        <message>
            <source>the log counts {ended} samples that ended, but holds {names}</source>
            <translation>das Protokoll zählt {ended} beendete Proben, enthält aber {names}</translation>
        </message>
        <message>
            <source>{name} has no messages.</source>
            <translation>{name} hat keine Nachrichten.</translation>
        </message>
        <message>
            <source>Choose another sample with --conversation.</source>
            <translation>Mit --conversation eine andere Probe wählen.</translation>
        </message>
        <message>
            <source>a zip with {samples} samples of an eval log</source>
            <translation>ein zip mit {samples} Proben eines Eval-Protokolls</translation>
        </message>
        <message>
            <source>{name} is not JSON: line {line}: {reason}.</source>
            <translation>{name} ist kein JSON: Zeile {line}: {reason}.</translation>
        </message>
        <message>
            <source>Copy the log again.</source>
            <translation>Das Protokoll noch einmal kopieren.</translation>
        </message>
        <message>
            <source>compaction of another agent</source>
            <translation>Verdichtung eines anderen Agenten</translation>
        </message>
        <message>
            <source>the role {text_of} is not known; kept as unknown</source>
            <translation>die Rolle {text_of} ist nicht bekannt; als unbekannt behalten</translation>
        </message>
        <message>
            <source>an attachment that the message names is not in the file</source>
            <translation>ein Anhang, den die Nachricht nennt, ist nicht in der Datei</translation>
        </message>
        <message>
            <source>type and data</source>
            <translation>type und data</translation>
        </message>
        <message>
            <source>lc constructor</source>
            <translation>lc-Konstruktor</translation>
        </message>
        <message>
            <source>type and content</source>
            <translation>type und content</translation>
        </message>
        <message>
            <source>Message dumps of LangChain and states of LangGraph with a list of messages.</source>
            <translation>Abzüge von Nachrichten aus LangChain und Zustände von LangGraph mit einer Liste von Nachrichten.</translation>
        </message>
        <message>
            <source>{surest} in {shapes} of {records} {unit}</source>
            <translation>{surest} in {shapes} von {records} {unit}</translation>
        </message>
        <message>
            <source>a message has no shape of LangChain; kept as it is</source>
            <translation>eine Nachricht hat keine Form von LangChain; belassen, wie sie ist</translation>
        </message>
        <message>
            <source>a call or result has no id; they are paired in order</source>
            <translation>ein Aufruf oder Ergebnis hat keine ID; sie werden der Reihe nach gepaart</translation>
        </message>
        <message>
            <source>{name} holds {siblings} conversation, not {number}.</source>
            <translation>{name} enthält {siblings} Gespräch, nicht {number}.</translation>
        </message>
        <message>
            <source>{name} holds {siblings} conversations, not {number}.</source>
            <translation>{name} enthält {siblings} Gespräche, nicht {number}.</translation>
        </message>
        <message>
            <source>Choose a number from 1 to {siblings}.</source>
            <translation>Eine Zahl von 1 bis {siblings} wählen.</translation>
        </message>
        <message>
            <source>Leave the number out.</source>
            <translation>Die Zahl weglassen.</translation>
        </message>
        <message>
            <source>, trial {trial}</source>
            <translation>, Versuch {trial}</translation>
        </message>
        <message>
            <source>History entries of llxprt-code as JSON, and its session recordings (JSONL).</source>
            <translation>Verlaufseinträge von llxprt-code als JSON und seine Sitzungsaufnahmen (JSONL).</translation>
        </message>
        <message>
            <source>speaker and blocks in {items} of {total} entries</source>
            <translation>speaker und blocks in {items} von {total} Einträgen</translation>
        </message>
        <message>
            <source>seq, type and payload of a recording in {events} of {total} lines</source>
            <translation>seq, type und payload einer Aufnahme in {events} von {total} Zeilen</translation>
        </message>
        <message>
            <source>the speaker {speaker} is not known; kept as unknown</source>
            <translation>der Sprecher {speaker} ist nicht bekannt; als unbekannt behalten</translation>
        </message>
        <message>
            <source>an empty history</source>
            <translation>ein leerer Verlauf</translation>
        </message>
        <message>
            <source>a block is not known, or lacks its id or words; kept as it is</source>
            <translation>ein Block ist nicht bekannt, oder ihm fehlen Kennung oder Text; belassen, wie er ist</translation>
        </message>
        <message>
            <source>the line is no event of a recording; it was skipped</source>
            <translation>die Zeile ist kein Ereignis einer Aufnahme; sie wurde übersprungen</translation>
        </message>
        <message>
            <source>the rewind does not say how many entries it took back; it was skipped</source>
            <translation>das Zurückspulen sagt nicht, wie viele Einträge es zurücknahm; es wurde übersprungen</translation>
        </message>
        <message>
            <source>Trajectories of mini-swe-agent (.traj.json), with commands as tool calls or in the text.</source>
            <translation>Abläufe von mini-swe-agent (.traj.json), mit Befehlen als Tool-Aufrufen oder im Text.</translation>
        </message>
        <message>
            <source>trajectory_format is {named}</source>
            <translation>trajectory_format ist {named}</translation>
        </message>
        <message>
            <source>messages beside the info of a run</source>
            <translation>messages neben dem info eines Laufs</translation>
        </message>
        <message>
            <source>a last message with the role exit</source>
            <translation>eine letzte Nachricht mit der Rolle exit</translation>
        </message>
        <message>
            <source>a list of messages that speaks of {words}</source>
            <translation>eine Liste von Nachrichten, die von {words} spricht</translation>
        </message>
        <message>
            <source>and {unsaid} more warnings of this file</source>
            <translation>und {unsaid} weitere Warnungen dieser Datei</translation>
        </message>
        <message>
            <source>Chat Completions messages: a JSON list, {messages}, request dumps, or JSONL.</source>
            <translation>Nachrichten von Chat Completions: eine JSON-Liste, {messages}, Abzüge von Anfragen oder JSONL.</translation>
        </message>
        <message>
            <source>an empty list of messages</source>
            <translation>eine leere Liste von Nachrichten</translation>
        </message>
        <message>
            <source>role {message}</source>
            <translation>Rolle {message}</translation>
        </message>
        <message>
            <source>a content part is not an object; kept as it is</source>
            <translation>ein Inhaltsteil ist kein Objekt; belassen, wie er ist</translation>
        </message>
        <message>
            <source>content is neither text nor a list; kept as it is</source>
            <translation>der Inhalt ist weder Text noch Liste; belassen, wie er ist</translation>
        </message>
        <message>
            <source>a message has no role; kept as unknown</source>
            <translation>eine Nachricht hat keine Rolle; als unbekannt behalten</translation>
        </message>
        <message>
            <source>the role {shown} is not known; kept as unknown</source>
            <translation>die Rolle {shown} ist nicht bekannt; als unbekannt behalten</translation>
        </message>
        <message>
            <source>items of the Responses API in {value} of {records} {unit}</source>
            <translation>Elemente der Responses-API in {value} von {records} {unit}</translation>
        </message>
        <message>
            <source>Items of the Responses API: a JSON list, {input, instructions}, responses, list objects, or JSONL.</source>
            <translation>Elemente der Responses-API: eine JSON-Liste, {input, instructions}, Antworten, Listenobjekte oder JSONL.</translation>
        </message>
        <message>
            <source>{why}, under input</source>
            <translation>{why}, unter input</translation>
        </message>
        <message>
            <source>the list output beside input was not read</source>
            <translation>die Liste output neben input wurde nicht gelesen</translation>
        </message>
        <message>
            <source>an empty list of items in a request or response</source>
            <translation>eine leere Liste von Elementen in einer Anfrage oder Antwort</translation>
        </message>
        <message>
            <source>Sessions of opencode as its export command writes them: {info, messages: [{info, parts}]}.</source>
            <translation>Sitzungen von opencode, wie sein Export-Befehl sie schreibt: {info, messages: [{info, parts}]}.</translation>
        </message>
        <message>
            <source>info and parts in {known} of {records} {unit}</source>
            <translation>info und parts in {known} von {records} {unit}</translation>
        </message>
        <message>
            <source>an empty session</source>
            <translation>eine leere Sitzung</translation>
        </message>
        <message>
            <source>request for a summary</source>
            <translation>Bitte um eine Zusammenfassung</translation>
        </message>
        <message>
            <source>summary that was not finished</source>
            <translation>Zusammenfassung, die nicht fertig wurde</translation>
        </message>
        <message>
            <source>a message has no info; kept as it is</source>
            <translation>eine Nachricht hat kein info; belassen, wie sie ist</translation>
        </message>
        <message>
            <source>the role "{role}" is not known; kept as unknown</source>
            <translation>die Rolle „{role}“ ist nicht bekannt; als unbekannt behalten</translation>
        </message>
        <message>
            <source>part: {value}</source>
            <translation>Teil: {value}</translation>
        </message>
        <message>
            <source>{name} is not JSON: {reason}.</source>
            <translation>{name} ist kein JSON: {reason}.</translation>
        </message>
        <message>
            <source>Choose a transcript in JSON or JSONL.</source>
            <translation>Ein Transkript in JSON oder JSONL wählen.</translation>
        </message>
        <message>
            <source>Choose a transcript that holds at least one record.</source>
            <translation>Ein Transkript wählen, das mindestens einen Datensatz enthält.</translation>
        </message>
        <message>
            <source>line {number} is {value}</source>
            <translation>Zeile {number} ist {value}</translation>
        </message>
        <message>
            <source>the file became shorter while it was read; what was still there was read</source>
            <translation>die Datei wurde beim Lesen kürzer; was noch da war, wurde gelesen</translation>
        </message>
        <message>
            <source>(file still being written?)</source>
            <translation>(wird die Datei noch geschrieben?)</translation>
        </message>
        <message>
            <source>; the line was skipped</source>
            <translation>; die Zeile wurde übersprungen</translation>
        </message>
        <message>
            <source>not JSON</source>
            <translation>kein JSON</translation>
        </message>
        <message>
            <source>{name} is JSON, but no transcript: it holds one {kind}.</source>
            <translation>{name} ist JSON, aber kein Transkript: Es enthält nur {kind}.</translation>
        </message>
        <message>
            <source>line {line}, column {column}:</source>
            <translation>Zeile {line}, Spalte {column}:</translation>
        </message>
        <message>
            <source>reading line {number}</source>
            <translation>Zeile {number} wird gelesen</translation>
        </message>
        <message>
            <source>incomplete JSON</source>
            <translation>unvollständiges JSON</translation>
        </message>
        <message>
            <source>reading was stopped here; the rest of the file was not read</source>
            <translation>das Lesen wurde hier angehalten; der Rest der Datei wurde nicht gelesen</translation>
        </message>
        <message>
            <source>Events of OpenHands 0 and 1 as a list, JSONL or zipped files, and output.jsonl with one run a line; no real file with a condensation was seen.</source>
            <translation>Ereignisse von OpenHands 0 und 1 als Liste, JSONL oder gezippte Dateien, und output.jsonl mit einem Lauf je Zeile; eine echte Datei mit Kondensation wurde nicht gesehen.</translation>
        </message>
        <message>
            <source>an action or an observation in {events} of {values} {what}</source>
            <translation>eine Aktion oder Beobachtung in {events} von {values} {what}</translation>
        </message>
        <message>
            <source>kinds of OpenHands events in {kinds} of {values} {unit}</source>
            <translation>Arten von OpenHands-Ereignissen in {kinds} von {values} {unit}</translation>
        </message>
        <message>
            <source>a file for each event of OpenHands</source>
            <translation>eine Datei für jedes Ereignis von OpenHands</translation>
        </message>
        <message>
            <source>no action or observation</source>
            <translation>keine Aktion oder Beobachtung</translation>
        </message>
        <message>
            <source>reading event {parts}</source>
            <translation>Ereignis {parts} wird gelesen</translation>
        </message>
        <message>
            <source>{name} unpacks to far more than a transcript holds, so it was not read.</source>
            <translation>{name} wird ausgepackt weit größer als ein Transkript und wurde darum nicht gelesen.</translation>
        </message>
        <message>
            <source>Unpack it yourself if you trust it, then open the file.</source>
            <translation>Selbst auspacken, wenn Sie der Datei trauen, dann öffnen.</translation>
        </message>
        <message>
            <source>{name} unpacks to more than {held} bytes, too much to hold in memory.</source>
            <translation>{name} wird ausgepackt größer als {held} Byte, zu viel für den Speicher.</translation>
        </message>
        <message>
            <source>Unpack it, then open the file.</source>
            <translation>Auspacken, dann die Datei öffnen.</translation>
        </message>
        <message>
            <source>{name} is {packing} data that is damaged or cut off.</source>
            <translation>{name} sind {packing}-Daten, beschädigt oder abgeschnitten.</translation>
        </message>
        <message>
            <source>Unpack it with gzip to see what is left.</source>
            <translation>Mit gzip auspacken, um zu sehen, was übrig ist.</translation>
        </message>
        <message>
            <source>Unpack it with zstd to see what is left.</source>
            <translation>Mit zstd auspacken, um zu sehen, was übrig ist.</translation>
        </message>
        <message>
            <source>nested too deeply</source>
            <translation>zu tief verschachtelt</translation>
        </message>
        <message>
            <source>a number has too many digits</source>
            <translation>eine Zahl hat zu viele Ziffern</translation>
        </message>
        <message>
            <source>zero bytes, as a crash leaves them</source>
            <translation>Nullbytes, wie ein Absturz sie hinterlässt</translation>
        </message>
        <message>
            <source>bytes that are not UTF-8 were replaced</source>
            <translation>Bytes, die kein UTF-8 sind, wurden ersetzt</translation>
        </message>
        <message>
            <source>not JSON ({lower})</source>
            <translation>kein JSON ({lower})</translation>
        </message>
        <message>
            <source>{values} line</source>
            <translation>{values} Zeile</translation>
        </message>
        <message>
            <source>{values} lines</source>
            <translation>{values} Zeilen</translation>
        </message>
        <message>
            <source>Sessions of Pi and its family: JSONL entries with messages, as a line or a tree; no real file with branches or compactions was seen.</source>
            <translation>Sitzungen von Pi und seiner Familie: JSONL-Einträge mit Nachrichten, als Linie oder Baum; eine echte Datei mit Zweigen oder Verdichtungen wurde nicht gesehen.</translation>
        </message>
        <message>
            <source>a session line at the top,</source>
            <translation>eine Sitzungszeile obenan,</translation>
        </message>
        <message>
            <source>{why}messages with Pi's roles in {own} of {total}</source>
            <translation>{why}Nachrichten mit den Rollen von Pi in {own} von {total}</translation>
        </message>
        <message>
            <source>{name} has {ends} branch, not {branch}.</source>
            <translation>{name} hat {ends} Zweig, nicht {branch}.</translation>
        </message>
        <message>
            <source>{name} has {ends} branches, not {branch}.</source>
            <translation>{name} hat {ends} Zweige, nicht {branch}.</translation>
        </message>
        <message>
            <source>message of another branch</source>
            <translation>Nachricht eines anderen Zweigs</translation>
        </message>
        <message>
            <source>Choose a number from 1 to {ends}.</source>
            <translation>Eine Zahl von 1 bis {ends} wählen.</translation>
        </message>
        <message>
            <source>shown only</source>
            <translation>nur gezeigt</translation>
        </message>
        <message>
            <source>Command exited with code {code}</source>
            <translation>Befehl endete mit Code {code}</translation>
        </message>
        <message>
            <source>the message has no readable content; kept as it is</source>
            <translation>die Nachricht hat keinen lesbaren Inhalt; belassen, wie sie ist</translation>
        </message>
        <message>
            <source>the id {id} comes again; what follows belongs to the later entry</source>
            <translation>die ID {id} kommt noch einmal; was folgt, gehört zum späteren Eintrag</translation>
        </message>
        <message>
            <source>the parent {wanted} is not before it; the entry before stands in</source>
            <translation>der Elter {wanted} steht nicht davor; der Eintrag davor tritt an seine Stelle</translation>
        </message>
        <message>
            <source>a pipe</source>
            <translation>eine Pipe</translation>
        </message>
        <message>
            <source>a socket</source>
            <translation>ein Socket</translation>
        </message>
        <message>
            <source>a device</source>
            <translation>ein Gerät</translation>
        </message>
        <message>
            <source>only a file is read packed</source>
            <translation>nur eine Datei wird gepackt gelesen</translation>
        </message>
        <message>
            <source>Choose a session in it; the newest of {sessions} is {name}.</source>
            <translation>Eine Sitzung darin wählen; die neueste von {sessions} ist {name}.</translation>
        </message>
        <message>
            <source>no regular file</source>
            <translation>keine gewöhnliche Datei</translation>
        </message>
        <message>
            <source>{name} is {kind}, not a file.</source>
            <translation>{name} ist {kind}, keine Datei.</translation>
        </message>
        <message>
            <source>Give - as the file to read a transcript from standard input.</source>
            <translation>- als Datei angeben, um ein Transkript von der Standardeingabe zu lesen.</translation>
        </message>
        <message>
            <source>{path} cannot be read: {lower}.</source>
            <translation>{path} ist nicht lesbar: {lower}.</translation>
        </message>
        <message>
            <source>Check the path.</source>
            <translation>Den Pfad prüfen.</translation>
        </message>
        <message>
            <source>Choose a file in it.</source>
            <translation>Eine Datei darin wählen.</translation>
        </message>
        <message>
            <source>Choose the session in it: {name}.</source>
            <translation>Die Sitzung darin wählen: {name}.</translation>
        </message>
        <message>
            <source>{value} is a folder, not a transcript.</source>
            <translation>{value} ist ein Ordner, kein Transkript.</translation>
        </message>
        <message>
            <source>is a link to a file that is not there</source>
            <translation>ist ein Link auf eine Datei, die es nicht gibt</translation>
        </message>
        <message>
            <source>was not found</source>
            <translation>wurde nicht gefunden</translation>
        </message>
        <message>
            <source>{path} may not be read by you.</source>
            <translation>{path} darf von Ihnen nicht gelesen werden.</translation>
        </message>
        <message>
            <source>Change its permissions or copy it.</source>
            <translation>Die Rechte ändern oder eine Kopie machen.</translation>
        </message>
        <message>
            <source>It is an OpenHands conversation: zip it and choose the zip (zip -r {packed} {folder}).</source>
            <translation>Es ist ein Gespräch von OpenHands: zippen und das Zip wählen (zip -r {packed} {folder}).</translation>
        </message>
        <message>
            <source>{name} has changed or gone since it was read.</source>
            <translation>{name} hat sich seit dem Lesen geändert oder ist fort.</translation>
        </message>
        <message>
            <source>Open it again.</source>
            <translation>Noch einmal öffnen.</translation>
        </message>
        <message>
            <source>a PNG image</source>
            <translation>ein PNG-Bild</translation>
        </message>
        <message>
            <source>a JPEG image</source>
            <translation>ein JPEG-Bild</translation>
        </message>
        <message>
            <source>a GIF image</source>
            <translation>ein GIF-Bild</translation>
        </message>
        <message>
            <source>a PDF document</source>
            <translation>ein PDF-Dokument</translation>
        </message>
        <message>
            <source>an SQLite database</source>
            <translation>eine SQLite-Datenbank</translation>
        </message>
        <message>
            <source>a program</source>
            <translation>ein Programm</translation>
        </message>
        <message>
            <source>a 7z archive</source>
            <translation>ein 7z-Archiv</translation>
        </message>
        <message>
            <source>xz compressed data</source>
            <translation>xz-gepackte Daten</translation>
        </message>
        <message>
            <source>bzip2 compressed data</source>
            <translation>bzip2-gepackte Daten</translation>
        </message>
        <message>
            <source>gzip compressed data inside packed data</source>
            <translation>gzip-gepackte Daten in gepackten Daten</translation>
        </message>
        <message>
            <source>zst compressed data inside packed data</source>
            <translation>zst-gepackte Daten in gepackten Daten</translation>
        </message>
        <message>
            <source>a tar archive; unpack it first</source>
            <translation>ein tar-Archiv; zuerst auspacken</translation>
        </message>
        <message>
            <source>{name} is not a text or JSON file (it looks like {value}).</source>
            <translation>{name} ist keine Text- oder JSON-Datei (es sieht aus wie {value}).</translation>
        </message>
        <message>
            <source>{name} is HTML, not JSON: a web page, perhaps an error page saved by a download.</source>
            <translation>{name} ist HTML, kein JSON: eine Webseite, vielleicht eine Fehlerseite, die beim Herunterladen gespeichert wurde.</translation>
        </message>
        <message>
            <source>Download the transcript again.</source>
            <translation>Das Transkript noch einmal herunterladen.</translation>
        </message>
        <message>
            <source>binary data</source>
            <translation>Binärdaten</translation>
        </message>
        <message>
            <source>an item of type "{kind}"</source>
            <translation>ein Element der Art „{kind}“</translation>
        </message>
        <message>
            <source>an item without a type</source>
            <translation>ein Element ohne Art</translation>
        </message>
        <message>
            <source>{shown} is not known; kept as it is</source>
            <translation>{shown} ist nicht bekannt; belassen, wie es ist</translation>
        </message>
        <message>
            <source>Datasets whose entries hold conversations of from and value, as JSON or JSONL.</source>
            <translation>Datensätze, deren Einträge Gespräche mit „from“ und „value“ enthalten, als JSON oder JSONL.</translation>
        </message>
        <message>
            <source>from and value in {turns} of {records} entries</source>
            <translation>from und value in {turns} von {records} Einträgen</translation>
        </message>
        <message>
            <source>value is no text; kept as it is</source>
            <translation>value ist kein Text; belassen, wie es ist</translation>
        </message>
        <message>
            <source>a turn is not an object; kept as it is</source>
            <translation>ein Zug ist kein Objekt; belassen, wie er ist</translation>
        </message>
        <message>
            <source>"from" is {name}, which is not known; kept as unknown</source>
            <translation>„from“ ist {name}, was nicht bekannt ist; als unbekannt behalten</translation>
        </message>
        <message>
            <source>a function call is not JSON with a name; kept as text</source>
            <translation>ein Funktionsaufruf ist kein JSON mit einem Namen; als Text behalten</translation>
        </message>
        <message>
            <source>the tools of the conversation are text that is no JSON; kept as text</source>
            <translation>die Tools des Gesprächs sind Text, der kein JSON ist; als Text behalten</translation>
        </message>
        <message>
            <source>{name} has changed since it was read.</source>
            <translation>{name} hat sich seit dem Lesen geändert.</translation>
        </message>
        <message>
            <source>Trajectories of SWE-agent (.traj): history, the steps, and what was sent at each of them.</source>
            <translation>Abläufe von SWE-agent (.traj): der Verlauf, die Schritte, und was bei jedem gesendet wurde.</translation>
        </message>
        <message>
            <source>history beside trajectory, {steps} steps with an action</source>
            <translation>history neben trajectory, {steps} Schritte mit einer Aktion</translation>
        </message>
        <message>
            <source>some queries do not line up with the history; what they left out is not shown</source>
            <translation>manche Anfragen passen nicht zum Verlauf; was sie wegließen, wird nicht gezeigt</translation>
        </message>
        <message>
            <source>Results of tau-bench, one conversation for each task and trial; its few-shot examples.</source>
            <translation>Ergebnisse von tau-bench, ein Gespräch je Aufgabe und Versuch; seine Beispiele.</translation>
        </message>
        <message>
            <source>{shown} in {shown2} of {head} records</source>
            <translation>{shown} in {shown2} von {head} Datensätzen</translation>
        </message>
        <message>
            <source>traj of a task in {runs} of {head} records</source>
            <translation>traj einer Aufgabe in {runs} von {head} Datensätzen</translation>
        </message>
        <message>
            <source>the example shows results without the calls they answer</source>
            <translation>das Beispiel zeigt Ergebnisse ohne die Aufrufe, die sie beantworten</translation>
        </message>
        <message>
            <source>without {shown}</source>
            <translation>ohne {shown}</translation>
        </message>
        <message>
            <source>VS Code chat replay</source>
            <translation>VS Code chat replay</translation>
        </message>
        <message>
            <source>Chat replays of VS Code's Copilot: each prompt a conversation, as its last request sent it.</source>
            <translation>Chat-Aufzeichnungen von Copilot in VS Code: jeder Prompt ein Gespräch, wie seine letzte Anfrage es sandte.</translation>
        </message>
        <message>
            <source>{name} has no "prompts" with logs.</source>
            <translation>{name} hat keine „prompts“ mit logs.</translation>
        </message>
        <message>
            <source>Choose a chat replay file.</source>
            <translation>Eine Chat-Aufzeichnung wählen.</translation>
        </message>
        <message>
            <source>prompt and logs in {prompts} of {prompts2} prompts</source>
            <translation>prompt und logs in {prompts} von {prompts2} Prompts</translation>
        </message>
        <message>
            <source>earlier tool call</source>
            <translation>früherer Tool-Aufruf</translation>
        </message>
        <message>
            <source>Something follows the end of the JSON value</source>
            <translation>Nach dem Ende des JSON-Werts folgt noch etwas</translation>
        </message>
        <message>
            <source>Expecting a field name in double quotes</source>
            <translation>Erwartet wird ein Feldname in Anführungszeichen</translation>
        </message>
        <message>
            <source>Expecting ':'</source>
            <translation>Erwartet wird ':'</translation>
        </message>
        <message>
            <source>Expecting ',' or '{close}'</source>
            <translation>Erwartet wird ',' oder '{close}'</translation>
        </message>
        <message>
            <source>the field "{key}" comes twice; the last one counts</source>
            <translation>das Feld „{key}“ kommt zweimal; das letzte zählt</translation>
        </message>
        <message>
            <source>{plain} in the zip: {why}</source>
            <translation>{plain} im zip: {why}</translation>
        </message>
        <message>
            <source>{name} holds no transcript among its {members} files.</source>
            <translation>{name} enthält unter {members} Dateien kein Transkript.</translation>
        </message>
        <message>
            <source>Unpack it, then open a file with --format if you know what it is.</source>
            <translation>Auspacken, dann eine Datei mit --format öffnen, wenn bekannt ist, was sie ist.</translation>
        </message>
        <message>
            <source>file in the zip that is no transcript: {names}</source>
            <translation>Datei im zip, die kein Transkript ist: {names}</translation>
        </message>
        <message>
            <source>{name} in the zip was not read: {rstrip}</source>
            <translation>{name} im zip wurde nicht gelesen: {rstrip}</translation>
        </message>
        <message>
            <source>{name} is a zip without a file in it.</source>
            <translation>{name} ist ein zip ohne Datei.</translation>
        </message>
        <message>
            <source>Choose a zip that holds a transcript.</source>
            <translation>Ein zip wählen, das ein Transkript enthält.</translation>
        </message>
        <message>
            <source>{name} is locked with a password.</source>
            <translation>{name} ist mit einem Passwort verschlossen.</translation>
        </message>
        <message>
            <source>Unpack it, then open a transcript inside.</source>
            <translation>Auspacken, dann ein Transkript darin öffnen.</translation>
        </message>
        <message>
            <source>{name} holds no transcript: {reason}</source>
            <translation>{name} enthält kein Transkript: {reason}</translation>
        </message>
        <message>
            <source>Unpack it and open a transcript inside.</source>
            <translation>Auspacken und ein Transkript darin öffnen.</translation>
        </message>
        <message>
            <source>s of the zip are</source>
            <translation>en des zip sind</translation>
        </message>
        <message>
            <source>of the zip is</source>
            <translation>des zip ist</translation>
        </message>
        <message>
            <source>{locked} file{plural} locked with a password</source>
            <translation>{locked} Datei{plural} mit einem Passwort verschlossen</translation>
        </message>
        <message>
            <source>looking into {plain}</source>
            <translation>{plain} wird durchgesehen</translation>
        </message>
        <message>
            <source>{name} is a zip inside a zip.</source>
            <translation>{name} ist ein zip in einem zip.</translation>
        </message>
        <message>
            <source>The profile {name} has no key</source>
            <translation>Das Profil {name} hat keinen Schlüssel</translation>
        </message>
        <message>
            <source>Name an environment variable in the profile instead.</source>
            <translation>Stattdessen eine Umgebungsvariable im Profil nennen.</translation>
        </message>
        <message>
            <source>The profile {name} has no key: the environment variable {key_env} is not set.</source>
            <translation>Das Profil {name} hat keinen Schlüssel: Die Umgebungsvariable {key_env} ist nicht gesetzt.</translation>
        </message>
        <message>
            <source>Set it, or name a keyring entry in the profile.</source>
            <translation>Sie setzen oder einen Eintrag des Schlüsselbunds im Profil nennen.</translation>
        </message>
        <message>
            <source>{failure}: the keyring has no entry {key_ring}.</source>
            <translation>{failure}: Der Schlüsselbund hat keinen Eintrag {key_ring}.</translation>
        </message>
        <message>
            <source>Store one with: keyring set {service} {key_ring}</source>
            <translation>Einen ablegen mit: keyring set {service} {key_ring}</translation>
        </message>
        <message>
            <source>{failure}: the keyring library is not installed.</source>
            <translation>{failure}: Die Bibliothek für den Schlüsselbund ist nicht installiert.</translation>
        </message>
        <message>
            <source>{failure}: this system offers no keyring.</source>
            <translation>{failure}: Dieses System hat keinen Schlüsselbund.</translation>
        </message>
        <message>
            <source>{failure}: the keyring is locked.</source>
            <translation>{failure}: Der Schlüsselbund ist gesperrt.</translation>
        </message>
        <message>
            <source>Unlock it and try again.</source>
            <translation>Entsperren und noch einmal versuchen.</translation>
        </message>
        <message>
            <source>{failure}: the keyring does not answer ({cause}).</source>
            <translation>{failure}: Der Schlüsselbund antwortet nicht ({cause}).</translation>
        </message>
        <message>
            <source>≈{count} tokens sent · ≈{count2} of at most {count3} received</source>
            <translation>≈{count} Token gesendet · ≈{count2} von höchstens {count3} empfangen</translation>
        </message>
        <message>
            <source>{who} writes the summary</source>
            <translation>{who} schreibt die Zusammenfassung</translation>
        </message>
        <message>
            <source>so far</source>
            <translation>bisher</translation>
        </message>
        <message>
            <source>in all</source>
            <translation>insgesamt</translation>
        </message>
        <message>
            <source>{who} works with tools, round {number} of at most {calls}</source>
            <translation>{who} arbeitet mit Tools, Runde {number} von höchstens {calls}</translation>
        </message>
        <message>
            <source>{who} writes summary {number} of {max}</source>
            <translation>{who} schreibt Zusammenfassung {number} von {max}</translation>
        </message>
        <message>
            <source>Try {attempt}: the one before ended with {cause}</source>
            <translation>Versuch {attempt}: der davor endete mit {cause}</translation>
        </message>
        <message>
            <source>Round {round} · {tool}: {effect}</source>
            <translation>Runde {round} · {tool}: {effect}</translation>
        </message>
        <message>
            <source>≈ {dollars} + at most {dollars2}</source>
            <translation>≈ {dollars} + höchstens {dollars2}</translation>
        </message>
        <message>
            <source>{count} (≈{sent} tokens) go{requests}</source>
            <translation>{count} (≈{sent} Token) gehen{requests}</translation>
        </message>
        <message>
            <source>at most {dollars} in {rounds} rounds</source>
            <translation>höchstens {dollars} in {rounds} Runden</translation>
        </message>
        <message>
            <source>Call {name} for the first time?</source>
            <translation>{name} zum ersten Mal rufen?</translation>
        </message>
        <message>
            <source>{goes} to {where} as {model}. At most {count} tokens come back. Asked once per profile.</source>
            <translation>{goes} an {where} als {model}. Höchstens {count} Token kommen zurück. Gefragt wird einmal je Profil.</translation>
        </message>
        <message>
            <source>Call {name}</source>
            <translation>{name} rufen</translation>
        </message>
        <message>
            <source>The model works with four tools, in up to {rounds} rounds: messages, their sizes and beginnings (at most ≈{sent} tokens in all) go</source>
            <translation>Das Modell arbeitet mit vier Tools, in bis zu {rounds} Runden: Nachrichten, ihre Größen und Anfänge (zusammen höchstens ≈{sent} Token) gehen</translation>
        </message>
        <message>
            <source>in {calls} requests</source>
            <translation>in {calls} Anfragen</translation>
        </message>
        <message>
            <source>at most {dollars}</source>
            <translation>höchstens {dollars}</translation>
        </message>
        <message>
            <source>– (model not in the table)</source>
            <translation>– (Modell nicht in der Tabelle)</translation>
        </message>
        <message>
            <source>{model} is not in the model table</source>
            <translation>{model} steht nicht in der Modelltabelle</translation>
        </message>
        <message>
            <source>the file names no model</source>
            <translation>die Datei nennt kein Modell</translation>
        </message>
        <message>
            <source>unknown: {missing}</source>
            <translation>unbekannt: {missing}</translation>
        </message>
        <message>
            <source>set by context-limit</source>
            <translation>mit context-limit gesetzt</translation>
        </message>
        <message>
            <source>reported in the file</source>
            <translation>in der Datei angegeben</translation>
        </message>
        <message>
            <source>automatic compaction at {before}</source>
            <translation>Auto-Verdichtung bei {before}</translation>
        </message>
        <message>
            <source>{name} in the model table</source>
            <translation>{name} in der Modelltabelle</translation>
        </message>
        <message>
            <source>never read</source>
            <translation>nie gelesen</translation>
        </message>
        <message>
            <source>{model} answered</source>
            <translation>{model} antwortete</translation>
        </message>
        <message>
            <source>in {seconds} s.</source>
            <translation>in {seconds} s.</translation>
        </message>
        <message>
            <source>Nothing to test.</source>
            <translation>Nichts zu prüfen.</translation>
        </message>
        <message>
            <source>This profile calls no model.</source>
            <translation>Dieses Profil ruft kein Modell.</translation>
        </message>
        <message>
            <source>Pins have no effect with {strategy}.</source>
            <translation>Anheftungen haben bei {strategy} keine Wirkung.</translation>
        </message>
        <message>
            <source>The result is not smaller: {counts} tokens became {after}.</source>
            <translation>Das Ergebnis ist nicht kleiner: aus {counts} Token wurden {after}.</translation>
        </message>
        <message>
            <source>not smaller</source>
            <translation>nicht kleiner</translation>
        </message>
        <message>
            <source>not in the context</source>
            <translation>nicht im Kontext</translation>
        </message>
        <message>
            <source>The uncompacted history (≈{tokens} tokens) does not fit the window of {model} ({limit}), so that there is nothing to compare with.</source>
            <translation>Der unverdichtete Verlauf (≈{tokens} Token) passt nicht in das Fenster von {model} ({limit}), so dass es nichts zum Vergleichen gibt.</translation>
        </message>
        <message>
            <source>{name} wrote the summary and judges it, too; name another judge with --judge.</source>
            <translation>{name} schrieb die Zusammenfassung und beurteilt sie auch; mit --judge einen anderen Richter nennen.</translation>
        </message>
        <message>
            <source>{name} wrote no question with a reference answer</source>
            <translation>{name} schrieb keine Frage mit einer Musterantwort</translation>
        </message>
        <message>
            <source>{name} gave no six grades</source>
            <translation>{name} gab keine sechs Noten</translation>
        </message>
        <message>
            <source>context awareness</source>
            <translation>Kenntnis des Kontexts</translation>
        </message>
        <message>
            <source>artifact trail</source>
            <translation>Spur der Dateien</translation>
        </message>
        <message>
            <source>instruction following</source>
            <translation>Befolgen der Anweisungen</translation>
        </message>
        <message>
            <source>Put it into an environment variable or the keyring, and the name of that into the profile.</source>
            <translation>Ihn in eine Umgebungsvariable oder den Schlüsselbund legen und deren Namen ins Profil.</translation>
        </message>
        <message>
            <source>It takes letters, digits, dots, dashes and underscores, at most 64, not a dot first or last.</source>
            <translation>Erlaubt sind Buchstaben, Ziffern, Punkte, Striche und Unterstriche, höchstens 64, kein Punkt am Anfang oder Ende.</translation>
        </message>
        <message>
            <source>It is the name of a device on some systems.</source>
            <translation>Es ist auf manchen Systemen der Name eines Geräts.</translation>
        </message>
        <message>
            <source>The name of a profile looks like a key.</source>
            <translation>Der Name eines Profils sieht aus wie ein Schlüssel.</translation>
        </message>
        <message>
            <source>{name} cannot be the name of a profile.</source>
            <translation>{name} kann nicht der Name eines Profils sein.</translation>
        </message>
        <message>
            <source>{where}: base_url cannot be {base_url}.</source>
            <translation>{where}: base_url kann nicht {base_url} sein.</translation>
        </message>
        <message>
            <source>It begins with http:// or https://.</source>
            <translation>Sie beginnt mit http:// oder https://.</translation>
        </message>
        <message>
            <source>{where}: key_env takes the name of an environment variable.</source>
            <translation>{where}: key_env nimmt den Namen einer Umgebungsvariablen.</translation>
        </message>
        <message>
            <source>{where}: timeout cannot be {timeout}.</source>
            <translation>{where}: timeout kann nicht {timeout} sein.</translation>
        </message>
        <message>
            <source>It takes 1 to 86,400 seconds.</source>
            <translation>Erlaubt sind 1 bis 86,400 Sekunden.</translation>
        </message>
        <message>
            <source>{where}: {field} cannot be {value}.</source>
            <translation>{where}: {field} kann nicht {value} sein.</translation>
        </message>
        <message>
            <source>It takes a text in one line.</source>
            <translation>Erlaubt ist ein Text in einer Zeile.</translation>
        </message>
        <message>
            <source>{where}: the parameter {name} cannot be {value}.</source>
            <translation>{where}: Der Parameter {name} kann nicht {value} sein.</translation>
        </message>
        <message>
            <source>Leave it out.</source>
            <translation>Weglassen.</translation>
        </message>
        <message>
            <source>{where}: {name} holds what looks like a key, not the name of one.</source>
            <translation>{where}: {name} enthält, was wie ein Schlüssel aussieht, nicht dessen Namen.</translation>
        </message>
        <message>
            <source>{where}: {name} holds what looks like a key; a profile never does.</source>
            <translation>{where}: {name} enthält, was wie ein Schlüssel aussieht; ein Profil tut das nie.</translation>
        </message>
        <message>
            <source>{did_you_mean}Known profiles: {join}.</source>
            <translation>{did_you_mean}Bekannte Profile: {join}.</translation>
        </message>
        <message>
            <source>It takes a number of seconds.</source>
            <translation>Erlaubt ist eine Zahl von Sekunden.</translation>
        </message>
        <message>
            <source>There is no profile {name}.</source>
            <translation>Es gibt kein Profil {name}.</translation>
        </message>
        <message>
            <source>{path}, line {line}</source>
            <translation>{path}, Zeile {line}</translation>
        </message>
        <message>
            <source>The profile {offline} is built in and stays as it is.</source>
            <translation>Das Profil {offline} ist eingebaut und bleibt, wie es ist.</translation>
        </message>
        <message>
            <source>Use another name.</source>
            <translation>Einen anderen Namen nehmen.</translation>
        </message>
        <message>
            <source>{where}: {key} cannot be {value}.</source>
            <translation>{where}: {key} kann nicht {value} sein.</translation>
        </message>
        <message>
            <source>{path} names no {key}.</source>
            <translation>{path} nennt kein {key}.</translation>
        </message>
        <message>
            <source>Add a line {key} = "…".</source>
            <translation>Eine Zeile {key} = "…" hinzufügen.</translation>
        </message>
        <message>
            <source>{path}, line {line}: {key} is no table.</source>
            <translation>{path}, Zeile {line}: {key} ist keine Tabelle.</translation>
        </message>
        <message>
            <source>It takes a text.</source>
            <translation>Erlaubt ist ein Text.</translation>
        </message>
        <message>
            <source>It takes true or false.</source>
            <translation>Erlaubt ist true oder false.</translation>
        </message>
        <message>
            <source>The profile {name} exists already.</source>
            <translation>Das Profil {name} gibt es schon.</translation>
        </message>
        <message>
            <source>There is a profile {known} already.</source>
            <translation>Es gibt schon ein Profil {known}.</translation>
        </message>
        <message>
            <source>Use that name or another one.</source>
            <translation>Diesen Namen nehmen oder einen anderen.</translation>
        </message>
        <message>
            <source>{path} cannot be deleted: {cause}.</source>
            <translation>{path} lässt sich nicht löschen: {cause}.</translation>
        </message>
        <message>
            <source>Check the folder's permissions.</source>
            <translation>Die Rechte des Ordners prüfen.</translation>
        </message>
        <message>
            <source>Nothing was saved; delete the override to use the text below it.</source>
            <translation>Nichts wurde gespeichert; die Überschreibung löschen, um den Text darunter zu benutzen.</translation>
        </message>
        <message>
            <source>The prompt file {path} was changed by another program.</source>
            <translation>Die Prompt-Datei {path} wurde von einem anderen Programm geändert.</translation>
        </message>
        <message>
            <source>Load it again, or save over it.</source>
            <translation>Sie neu laden oder darüber speichern.</translation>
        </message>
        <message>
            <source>An empty prompt cannot be used.</source>
            <translation>Ein leerer Prompt ist nicht benutzbar.</translation>
        </message>
        <message>
            <source>The prompt is longer than {max_bytes} bytes.</source>
            <translation>Der Prompt ist länger als {max_bytes} Byte.</translation>
        </message>
        <message>
            <source>There is no prompt file {path}.</source>
            <translation>Es gibt keine Prompt-Datei {path}.</translation>
        </message>
        <message>
            <source>Nothing was deleted.</source>
            <translation>Nichts wurde gelöscht.</translation>
        </message>
        <message>
            <source>Character {value} of the prompt is no character.</source>
            <translation>Zeichen {value} des Prompts ist kein Zeichen.</translation>
        </message>
        <message>
            <source>The prompt file {path} cannot be deleted: {cause}.</source>
            <translation>Die Prompt-Datei {path} lässt sich nicht löschen: {cause}.</translation>
        </message>
        <message>
            <source>Reinstall Foldline to get its prompts back.</source>
            <translation>Foldline neu installieren, um seine Prompts zurückzubekommen.</translation>
        </message>
        <message>
            <source>Correct or delete it; the prompt of the next level is used where it is gone.</source>
            <translation>Sie berichtigen oder löschen; wo sie fehlt, gilt der Prompt der nächsten Ebene.</translation>
        </message>
        <message>
            <source>The prompt file {path} leads out of the prompts folder.</source>
            <translation>Die Prompt-Datei {path} führt aus dem Ordner der Prompts hinaus.</translation>
        </message>
        <message>
            <source>Remove the link.</source>
            <translation>Den Link entfernen.</translation>
        </message>
        <message>
            <source>The prompt file {path} is empty.</source>
            <translation>Die Prompt-Datei {path} ist leer.</translation>
        </message>
        <message>
            <source>The prompt file {path} is not a regular file.</source>
            <translation>Die Prompt-Datei {path} ist keine gewöhnliche Datei.</translation>
        </message>
        <message>
            <source>The prompt file {path} is longer than {max_bytes} bytes.</source>
            <translation>Die Prompt-Datei {path} ist länger als {max_bytes} Byte.</translation>
        </message>
        <message>
            <source>The prompt file {path} is missing.</source>
            <translation>Die Prompt-Datei {path} fehlt.</translation>
        </message>
        <message>
            <source>The prompt file {path} cannot be read: {strerror}.</source>
            <translation>Die Prompt-Datei {path} ist nicht lesbar: {strerror}.</translation>
        </message>
        <message>
            <source>The prompt file {path} is not UTF-8 (byte {start}).</source>
            <translation>Die Prompt-Datei {path} ist kein UTF-8 (Byte {start}).</translation>
        </message>
        <message>
            <source>The folder {wanted} cannot be created: {cause}.</source>
            <translation>Der Ordner {wanted} lässt sich nicht anlegen: {cause}.</translation>
        </message>
        <message>
            <source>Remove what is in its place, or allow it to be written to.</source>
            <translation>Entfernen, was an seiner Stelle liegt, oder das Schreiben erlauben.</translation>
        </message>
        <message>
            <source>There is no {level} to save the prompt for.</source>
            <translation>Es gibt kein {level}, für das der Prompt gespeichert werden könnte.</translation>
        </message>
        <message>
            <source>Choose a profile or another level.</source>
            <translation>Ein Profil oder eine andere Ebene wählen.</translation>
        </message>
        <message>
            <source>{name} is not the name of a prompt.</source>
            <translation>{name} ist kein Name eines Prompts.</translation>
        </message>
        <message>
            <source>Names are lower-case letters, digits and dashes.</source>
            <translation>Namen bestehen aus Kleinbuchstaben, Ziffern und Strichen.</translation>
        </message>
        <message>
            <source>Built-in prompts cannot be changed.</source>
            <translation>Eingebaute Prompts lassen sich nicht ändern.</translation>
        </message>
        <message>
            <source>Save the text at another level.</source>
            <translation>Den Text auf einer anderen Ebene speichern.</translation>
        </message>
        <message>
            <source>Allow it to be read, or remove its folder.</source>
            <translation>Das Lesen erlauben oder den Ordner entfernen.</translation>
        </message>
        <message>
            <source>{name} has no provenance, so that nothing can be put back.</source>
            <translation>{name} hat keine Herkunft, so dass sich nichts zurückholen lässt.</translation>
        </message>
        <message>
            <source>Export with --provenance, or put messages back while the source is open.</source>
            <translation>Mit --provenance exportieren oder Nachrichten zurückholen, solange die Quelle offen ist.</translation>
        </message>
        <message>
            <source>The provenance in {name} is not whole.</source>
            <translation>Die Herkunft in {name} ist nicht vollständig.</translation>
        </message>
        <message>
            <source>Messages of it were taken out.</source>
            <translation>Nachrichten davon wurden entfernt.</translation>
        </message>
        <message>
            <source>As exported.</source>
            <translation>Wie exportiert.</translation>
        </message>
        <message>
            <source>put back</source>
            <translation>zurückgeholt</translation>
        </message>
        <message>
            <source>Put back by hand: it stands as it was.</source>
            <translation>Von Hand zurückgeholt: Sie steht, wie sie war.</translation>
        </message>
        <message>
            <source>(keys, tokens, mail addresses)</source>
            <translation>(Schlüssel, Token, Mailadressen)</translation>
        </message>
        <message>
            <source>{plural}, {tokens} tokens</source>
            <translation>{plural}, {tokens} Token</translation>
        </message>
        <message>
            <source>Wrote {name}: {what}, {size}.</source>
            <translation>{name} geschrieben: {what}, {size}.</translation>
        </message>
        <message>
            <source>No secrets found {kinds}.</source>
            <translation>Keine Geheimnisse gefunden {kinds}.</translation>
        </message>
        <message>
            <source>The file will hold {what}: redaction is off.</source>
            <translation>Die Datei wird {what} enthalten: Schwärzen ist aus.</translation>
        </message>
        <message>
            <source>{what} will be replaced.</source>
            <translation>{what} werden ersetzt.</translation>
        </message>
        <message>
            <source>the source with the compaction behind it</source>
            <translation>die Quelle mit der Verdichtung dahinter</translation>
        </message>
        <message>
            <source>Open it</source>
            <translation>Öffnen</translation>
        </message>
        <message>
            <source>what recorded compaction {number} removed is not in the file.</source>
            <translation>was die aufgezeichnete Verdichtung {number} entfernte, ist nicht in der Datei.</translation>
        </message>
        <message>
            <source>Only a part: {why}</source>
            <translation>Nur ein Teil: {why}</translation>
        </message>
        <message>
            <source>There is no scope "{scope}": {name} has {found}.</source>
            <translation>Es gibt keinen Umfang „{scope}“: {name} hat {found}.</translation>
        </message>
        <message>
            <source>Scopes: {join}.</source>
            <translation>Umfänge: {join}.</translation>
        </message>
        <message>
            <source>{root} cannot be read: {value}.</source>
            <translation>{root} ist nicht lesbar: {value}.</translation>
        </message>
        <message>
            <source>Qwen Code</source>
            <translation>Qwen Code</translation>
        </message>
        <message>
            <source>Oh My Pi</source>
            <translation>Oh My Pi</translation>
        </message>
        <message>
            <source>Roo Code</source>
            <translation>Roo Code</translation>
        </message>
        <message>
            <source>{name} is not made of lines.</source>
            <translation>{name} besteht nicht aus Zeilen.</translation>
        </message>
        <message>
            <source>Set a value for this session.</source>
            <translation>Einen Wert für diese Sitzung setzen.</translation>
        </message>
        <message>
            <source>Save, load, delete or list profiles.</source>
            <translation>Profile speichern, laden, löschen oder auflisten.</translation>
        </message>
        <message>
            <source>Compact now, with a focus for the summary if you like.</source>
            <translation>Jetzt verdichten, auf Wunsch mit einem Schwerpunkt für die Zusammenfassung.</translation>
        </message>
        <message>
            <source>Save model and session settings as a profile.</source>
            <translation>Modell und Einstellungen der Sitzung als Profil speichern.</translation>
        </message>
        <message>
            <source>Make a profile the active one.</source>
            <translation>Ein Profil zum aktiven machen.</translation>
        </message>
        <message>
            <source>Delete a saved profile.</source>
            <translation>Ein gespeichertes Profil löschen.</translation>
        </message>
        <message>
            <source>List the profiles.</source>
            <translation>Die Profile auflisten.</translation>
        </message>
        <message>
            <source>There is no command {shown}.</source>
            <translation>Es gibt keinen Befehl {shown}.</translation>
        </message>
        <message>
            <source>{set} needs a key and a value.</source>
            <translation>{set} braucht einen Schlüssel und einen Wert.</translation>
        </message>
        <message>
            <source>Write {set} KEY VALUE or {set2} {unset} KEY.</source>
            <translation>{set} KEY WERT oder {set2} {unset} KEY schreiben.</translation>
        </message>
        <message>
            <source>{set} {key} needs a value.</source>
            <translation>{set} {key} braucht einen Wert.</translation>
        </message>
        <message>
            <source>{profile} cannot {word}.</source>
            <translation>{profile} kann nicht {word}.</translation>
        </message>
        <message>
            <source>{profile} needs to know what to do.</source>
            <translation>{profile} muss wissen, was zu tun ist.</translation>
        </message>
        <message>
            <source>{profile} {verb} takes no name.</source>
            <translation>{profile} {verb} nimmt keinen Namen.</translation>
        </message>
        <message>
            <source>Write {profile} {verb}.</source>
            <translation>{profile} {verb} schreiben.</translation>
        </message>
        <message>
            <source>{profile} {verb} needs a name.</source>
            <translation>{profile} {verb} braucht einen Namen.</translation>
        </message>
        <message>
            <source>Write {profile} {verb} NAME.</source>
            <translation>{profile} {verb} NAME schreiben.</translation>
        </message>
        <message>
            <source>{set} {unset} needs a key.</source>
            <translation>{set} {unset} braucht einen Schlüssel.</translation>
        </message>
        <message>
            <source>Write {set} {unset} KEY.</source>
            <translation>{set} {unset} KEY schreiben.</translation>
        </message>
        <message>
            <source>It takes</source>
            <translation>Erlaubt ist</translation>
        </message>
        <message>
            <source>Clear a value of this session.</source>
            <translation>Einen Wert dieser Sitzung löschen.</translation>
        </message>
        <message>
            <source>profile name</source>
            <translation>Profilname</translation>
        </message>
        <message>
            <source>Known settings: {join}.</source>
            <translation>Bekannte Einstellungen: {join}.</translation>
        </message>
        <message>
            <source>It takes a whole number{low}{high}.</source>
            <translation>Erlaubt ist eine ganze Zahl{low}{high}.</translation>
        </message>
        <message>
            <source>There is no setting {key}.</source>
            <translation>Es gibt keine Einstellung {key}.</translation>
        </message>
        <message>
            <source>It takes one of: {join}.</source>
            <translation>Erlaubt ist eines von: {join}.</translation>
        </message>
        <message>
            <source>It takes a {value}.</source>
            <translation>Erlaubt ist: {value}.</translation>
        </message>
        <message>
            <source>above {low}</source>
            <translation>über {low}</translation>
        </message>
        <message>
            <source>from {low}</source>
            <translation>von {low}</translation>
        </message>
        <message>
            <source>up to {high}</source>
            <translation>bis {high}</translation>
        </message>
        <message>
            <source>It takes a number{low}{high}.</source>
            <translation>Erlaubt ist eine Zahl{low}{high}.</translation>
        </message>
        <message>
            <source>Write --set KEY=VALUE.</source>
            <translation>--set KEY=WERT schreiben.</translation>
        </message>
        <message>
            <source>{key} cannot be {value}.</source>
            <translation>{key} kann nicht {value} sein.</translation>
        </message>
        <message>
            <source>{key} holds what looks like a key; settings never do.</source>
            <translation>{key} enthält, was wie ein Schlüssel aussieht; Einstellungen tun das nie.</translation>
        </message>
        <message>
            <source>Until it is mended the defaults hold; the next save sets the file aside.</source>
            <translation>Bis sie berichtigt ist, gelten die Vorgaben; das nächste Speichern legt die Datei beiseite.</translation>
        </message>
        <message>
            <source>{path} was broken and now lies in {aside}.</source>
            <translation>{path} war kaputt und liegt jetzt in {aside}.</translation>
        </message>
        <message>
            <source>{at}: {key} is set in line {taken} already, which holds.</source>
            <translation>{at}: {key} ist schon in Zeile {taken} gesetzt, die gilt.</translation>
        </message>
        <message>
            <source>{at}: There is no setting {name}. Did you mean {near}?</source>
            <translation>{at}: Es gibt keine Einstellung {name}. Gemeint ist vielleicht {near}.</translation>
        </message>
        <message>
            <source>model name</source>
            <translation>Modellname</translation>
        </message>
        <message>
            <source>{key} has no value.</source>
            <translation>{key} hat keinen Wert.</translation>
        </message>
        <message>
            <source>Set one with --set {key}=VALUE.</source>
            <translation>Einen setzen mit --set {key}=WERT.</translation>
        </message>
        <message>
            <source>every turn</source>
            <translation>bei jedem Zug</translation>
        </message>
        <message>
            <source>before send</source>
            <translation>vor dem Senden</translation>
        </message>
        <message>
            <source>after tool results</source>
            <translation>nach Tool-Ergebnissen</translation>
        </message>
        <message>
            <source>after the user message</source>
            <translation>nach der Nachricht des Nutzers</translation>
        </message>
        <message>
            <source>oldest first</source>
            <translation>Älteste zuerst</translation>
        </message>
        <message>
            <source>{strategy} needs a context limit and none is known.</source>
            <translation>{strategy} braucht ein Kontextlimit, und keines ist bekannt.</translation>
        </message>
        <message>
            <source>Set {limit} (--set {limit2}=N), or choose a model that has one (--model NAME).</source>
            <translation>{limit} setzen (--set {limit2}=N) oder ein Modell wählen, das eines hat (--model NAME).</translation>
        </message>
        <message>
            <source>empty message</source>
            <translation>Leere Nachricht</translation>
        </message>
        <message>
            <source>An ai message without content; it says nothing.</source>
            <translation>Eine ai-Nachricht ohne Inhalt; sie sagt nichts.</translation>
        </message>
        <message>
            <source>Nothing would be left.</source>
            <translation>Nichts würde übrig bleiben.</translation>
        </message>
        <message>
            <source>The result would begin with a message of the model, which APIs refuse.</source>
            <translation>Das Ergebnis begänne mit einer Nachricht des Modells, was APIs ablehnen.</translation>
        </message>
        <message>
            <source>A call would be separated from its result.</source>
            <translation>Ein Aufruf würde von seinem Ergebnis getrennt.</translation>
        </message>
        <message>
            <source>A call whose response lies later on the right is left alone on the left.</source>
            <translation>Ein Aufruf, dessen Antwort weiter rechts liegt, bleibt links allein.</translation>
        </message>
        <message>
            <source>The cut goes to the nearest boundary that keeps all pairs whole; a tie keeps more.</source>
            <translation>Der Schnitt geht zur nächsten Grenze, die alle Paare ganz lässt; bei Gleichstand bleibt mehr.</translation>
        </message>
        <message>
            <source>The clamp to two messages can cut a pair again.</source>
            <translation>Das Festhalten an zwei Nachrichten kann wieder ein Paar zerschneiden.</translation>
        </message>
        <message>
            <source>The cut is chosen among the valid boundaries that leave at least two messages.</source>
            <translation>Der Schnitt wird unter den gültigen Grenzen gewählt, die mindestens zwei Nachrichten lassen.</translation>
        </message>
        <message>
            <source>The last request can fall among the dropped messages, and the model answers nobody.</source>
            <translation>Die letzte Bitte kann unter die verworfenen Nachrichten fallen, und das Modell antwortet niemandem.</translation>
        </message>
        <message>
            <source>The last message that a person typed stays, alone in front of the rest.</source>
            <translation>Die letzte Nachricht, die eine Person tippte, bleibt, allein vor dem Rest.</translation>
        </message>
        <message>
            <source>No-ops and results that are larger than their source are applied.</source>
            <translation>Läufe ohne Änderung und Ergebnisse, die größer als ihre Quelle sind, werden angewandt.</translation>
        </message>
        <message>
            <source>They are refused with the reason.</source>
            <translation>Sie werden mit dem Grund abgelehnt.</translation>
        </message>
        <message>
            <source>An ai message whose call has no arguments counts as empty, and its response loses it.</source>
            <translation>Eine ai-Nachricht, deren Aufruf keine Argumente hat, gilt als leer, und ihre Antwort verliert ihn.</translation>
        </message>
        <message>
            <source>An ai message with a call, a response or content that could not be read is never empty.</source>
            <translation>Eine ai-Nachricht mit einem Aufruf, einer Antwort oder unlesbarem Inhalt ist nie leer.</translation>
        </message>
        <message>
            <source>Any later write prunes a read, even one that failed or was never answered.</source>
            <translation>Jedes spätere Schreiben stutzt ein Lesen, auch ein gescheitertes oder nie beantwortetes.</translation>
        </message>
        <message>
            <source>Only a write that succeeded does; else the read may be the only copy.</source>
            <translation>Nur ein erfolgreiches tut es; sonst könnte das Lesen die einzige Kopie sein.</translation>
        </message>
        <message>
            <source>An edit prunes reads of the whole file, whose content is then nowhere in the context.</source>
            <translation>Eine Änderung stutzt Lesen der ganzen Datei, deren Inhalt dann nirgends im Kontext steht.</translation>
        </message>
        <message>
            <source>An edit prunes only a read whose lines all lie inside those it replaced.</source>
            <translation>Eine Änderung stutzt nur ein Lesen, dessen Zeilen alle in den ersetzten liegen.</translation>
        </message>
        <message>
            <source>Only llxprt's own tool names are known, so that nothing is pruned in other agents' sessions.</source>
            <translation>Nur die Tool-Namen von llxprt sind bekannt, so dass in Sitzungen anderer Agenten nichts gestutzt wird.</translation>
        </message>
        <message>
            <source>One table knows the tools of the popular agents.</source>
            <translation>Eine Tabelle kennt die Tools der verbreiteten Agenten.</translation>
        </message>
        <message>
            <source>Thinking that led to a pruned call stays alone in its message, which its provider refuses.</source>
            <translation>Denken, das zu einem gestutzten Aufruf führte, bleibt allein in seiner Nachricht, was sein Anbieter ablehnt.</translation>
        </message>
        <message>
            <source>A message that holds nothing but thinking and blank text goes with its call.</source>
            <translation>Eine Nachricht, die nur Denken und leeren Text enthält, geht mit ihrem Aufruf.</translation>
        </message>
        <message>
            <source>Calls and responses are matched by id alone, so that an id used again prunes both turns.</source>
            <translation>Aufrufe und Antworten werden nur nach ID gepaart, so dass eine wieder benutzte ID beide Züge stutzt.</translation>
        </message>
        <message>
            <source>A call is joined with its own response, turn by turn, whoever speaks in the message.</source>
            <translation>Ein Aufruf gehört zu seiner eigenen Antwort, Zug um Zug, wer auch in der Nachricht spricht.</translation>
        </message>
        <message>
            <source>One inclusion syntax is known, closing markers open inclusions, and one closer swallows two files.</source>
            <translation>Nur eine Schreibweise für eingefügte Dateien ist bekannt, schließende Zeichen öffnen neue, und ein Schluss verschluckt zwei Dateien.</translation>
        </message>
        <message>
            <source>Several agents' syntaxes are known; an inclusion ends before the next one begins.</source>
            <translation>Die Schreibweisen mehrerer Agenten sind bekannt; eine eingefügte Datei endet, bevor die nächste beginnt.</translation>
        </message>
        <message>
            <source>Blank lines are folded in the whole block, the person's own text included.</source>
            <translation>Leerzeilen werden im ganzen Block gefaltet, auch im eigenen Text der Person.</translation>
        </message>
        <message>
            <source>Blank lines are folded only where a file was cut out.</source>
            <translation>Leerzeilen werden nur gefaltet, wo eine Datei herausgeschnitten wurde.</translation>
        </message>
        <message>
            <source>A block that held only the file is left as an empty text, which providers refuse.</source>
            <translation>Ein Block, der nur die Datei enthielt, bleibt als leerer Text, was Anbieter ablehnen.</translation>
        </message>
        <message>
            <source>Such a block says that the file is included again below.</source>
            <translation>Ein solcher Block sagt, dass die Datei unten noch einmal steht.</translation>
        </message>
        <message>
            <source>Results shorter than the pointer are replaced, too.</source>
            <translation>Auch Ergebnisse, die kürzer als der Verweis sind, werden ersetzt.</translation>
        </message>
        <message>
            <source>A result that would not get shorter stays.</source>
            <translation>Ein Ergebnis, das nicht kürzer würde, bleibt.</translation>
        </message>
        <message>
            <source>What told a failure in its text is no failure any more once the pointer stands there.</source>
            <translation>Was in seinem Text einen Fehler meldete, ist keiner mehr, sobald dort der Verweis steht.</translation>
        </message>
        <message>
            <source>The pointer of a failed result carries an error, so that no later turn takes it for a success.</source>
            <translation>Der Verweis auf ein fehlgeschlagenes Ergebnis trägt einen Fehler, damit keine spätere Runde es für einen Erfolg hält.</translation>
        </message>
        <message>
            <source>A line names a path only, and calls a result with the word error in its text a failure.</source>
            <translation>Eine Zeile nennt nur einen Pfad und hält ein Ergebnis mit dem Wort error im Text für gescheitert.</translation>
        </message>
        <message>
            <source>A line names path or command; failure is read from the error field, the first line and exit codes.</source>
            <translation>Eine Zeile nennt Pfad oder Befehl; ob etwas scheiterte, sagen Fehlerfeld, erste Zeile und Exit-Codes.</translation>
        </message>
        <message>
            <source>Tiny results become longer lines, and an earlier run's lines get a wrong outcome.</source>
            <translation>Winzige Ergebnisse werden längere Zeilen, und die Zeilen eines früheren Laufs bekommen einen falschen Ausgang.</translation>
        </message>
        <message>
            <source>A result is replaced only where that is shorter; lines and pointers stay.</source>
            <translation>Ein Ergebnis wird nur ersetzt, wo das kürzer ist; Zeilen und Verweise bleiben.</translation>
        </message>
        <message>
            <source>Head messages are dropped one by one, through the middle of pairs.</source>
            <translation>Nachrichten am Anfang werden eine nach der anderen verworfen, mitten durch Paare.</translation>
        </message>
        <message>
            <source>They are dropped only up to a valid boundary, and only once all lines are in place.</source>
            <translation>Sie werden nur bis zu einer gültigen Grenze verworfen, und erst, wenn alle Zeilen stehen.</translation>
        </message>
        <message>
            <source>Messages of other speakers than human, ai and tool are forgotten.</source>
            <translation>Nachrichten anderer Sprecher als human, ai und tool werden vergessen.</translation>
        </message>
        <message>
            <source>They stay.</source>
            <translation>Sie bleiben.</translation>
        </message>
        <message>
            <source>A summary that was cut off or refused is used as it is.</source>
            <translation>Eine abgeschnittene oder verweigerte Zusammenfassung wird benutzt, wie sie ist.</translation>
        </message>
        <message>
            <source>It is an error that names profile, model and cause; the history stays as it was.</source>
            <translation>Es ist ein Fehler, der Profil, Modell und Ursache nennt; der Verlauf bleibt, wie er war.</translation>
        </message>
        <message>
            <source>The acknowledgement is a fixed sentence or quotes a tool that the agent may not have.</source>
            <translation>Die Bestätigung ist ein fester Satz oder nennt ein Tool, das der Agent vielleicht nicht hat.</translation>
        </message>
        <message>
            <source>It names the first open task, or says plainly that the work goes on.</source>
            <translation>Sie nennt die erste offene Aufgabe oder sagt schlicht, dass die Arbeit weitergeht.</translation>
        </message>
        <message>
            <source>What is added while the summary is written is wiped, and its tokens stay in the total.</source>
            <translation>Was während der Zusammenfassung dazukommt, wird gelöscht, und seine Token bleiben in der Summe.</translation>
        </message>
        <message>
            <source>It is taken at once and stands behind the result.</source>
            <translation>Es wird sofort übernommen und steht hinter dem Ergebnis.</translation>
        </message>
        <message>
            <source>The count of the last reply triggers compression although pruning or compression made room.</source>
            <translation>Die Zählung der letzten Antwort löst das Verdichten aus, obwohl Stutzen oder Verdichten Platz schuf.</translation>
        </message>
        <message>
            <source>That count moves with what was added and pruned since, and a compression forgets it.</source>
            <translation>Diese Zählung geht mit dem mit, was seither dazukam und gestutzt wurde, und ein Verdichten vergisst sie.</translation>
        </message>
        <message>
            <source>A run that leaves the history above the threshold is repeated on every send, no-ops too.</source>
            <translation>Ein Lauf, der den Verlauf über der Schwelle lässt, wird bei jedem Senden wiederholt, auch einer ohne Änderung.</translation>
        </message>
        <message>
            <source>It is tried again once something was added or a setting changed.</source>
            <translation>Er wird erst wieder versucht, wenn etwas dazukam oder eine Einstellung sich änderte.</translation>
        </message>
        <message>
            <source>Strategies declare a threshold and nobody reads it.</source>
            <translation>Strategien erklären eine Schwelle, und niemand liest sie.</translation>
        </message>
        <message>
            <source>Without a setting the strategy's own threshold holds.</source>
            <translation>Ohne Einstellung gilt die eigene Schwelle der Strategie.</translation>
        </message>
        <message>
            <source>A density step that did not run or failed counts as done, and nothing is pruned afterwards.</source>
            <translation>Ein Dichte-Schritt, der nicht lief oder scheiterte, gilt als getan, und danach wird nichts gestutzt.</translation>
        </message>
        <message>
            <source>Only a step that looked at the history does.</source>
            <translation>Nur ein Schritt, der den Verlauf ansah, gilt so.</translation>
        </message>
        <message>
            <source>An unknown strategy is an error on the first send only.</source>
            <translation>Eine unbekannte Strategie ist nur beim ersten Senden ein Fehler.</translation>
        </message>
        <message>
            <source>It is one on every send until the setting is right.</source>
            <translation>Sie ist bei jedem Senden einer, bis die Einstellung stimmt.</translation>
        </message>
        <message>
            <source>An unset output budget is 65,536 and the margin 1,000 tokens, too much for any small window.</source>
            <translation>Ein nicht gesetztes Ausgabebudget ist 65,536 und der Rand 1,000 Token, zu viel für jedes kleine Fenster.</translation>
        </message>
        <message>
            <source>An unset budget is at most half the window, the margin at most a twentieth of it.</source>
            <translation>Ein nicht gesetztes Budget ist höchstens das halbe Fenster, der Rand höchstens ein Zwanzigstel davon.</translation>
        </message>
        <message>
            <source>A last turn whose calls wait for answers can be compressed, and the answers come to nobody.</source>
            <translation>Ein letzter Zug, dessen Aufrufe auf Antworten warten, kann verdichtet werden, und die Antworten gehen an niemanden.</translation>
        </message>
        <message>
            <source>It stays; where an answer came while a summary was written, the result is refused.</source>
            <translation>Er bleibt; wo während der Zusammenfassung eine Antwort kam, wird das Ergebnis abgelehnt.</translation>
        </message>
        <message>
            <source>A manual run skips the density step.</source>
            <translation>Ein Lauf von Hand überspringt den Dichte-Schritt.</translation>
        </message>
        <message>
            <source>The density step comes first there, too.</source>
            <translation>Auch dort kommt zuerst der Dichte-Schritt.</translation>
        </message>
        <message>
            <source>The store silently drops messages of other speakers than human, ai and tool.</source>
            <translation>Der Speicher verwirft stillschweigend Nachrichten anderer Sprecher als human, ai und tool.</translation>
        </message>
        <message>
            <source>They are kept.</source>
            <translation>Sie werden behalten.</translation>
        </message>
        <message>
            <source>Tier 3 summarises what tier 2 left of the outputs, so that files, tools and errors come from notes.</source>
            <translation>Stufe 3 fasst zusammen, was Stufe 2 von den Ausgaben ließ, so dass Dateien, Tools und Fehler aus Notizen stammen.</translation>
        </message>
        <message>
            <source>It summarises the messages as they were in the source.</source>
            <translation>Sie fasst die Nachrichten zusammen, wie sie in der Quelle standen.</translation>
        </message>
        <message>
            <source>The cut is a plain count and can leave results whose calls were summarised away.</source>
            <translation>Der Schnitt ist bloßes Abzählen und kann Ergebnisse lassen, deren Aufrufe zusammengefasst wurden.</translation>
        </message>
        <message>
            <source>It goes to the nearest boundary that keeps all pairs whole; a tie keeps more.</source>
            <translation>Er geht zur nächsten Grenze, die alle Paare ganz lässt; bei Gleichstand bleibt mehr.</translation>
        </message>
        <message>
            <source>The newest results are cut before the model has read them.</source>
            <translation>Die neuesten Ergebnisse werden gekürzt, bevor das Modell sie gelesen hat.</translation>
        </message>
        <message>
            <source>Results after the model's last message stay.</source>
            <translation>Ergebnisse nach der letzten Nachricht des Modells bleiben.</translation>
        </message>
        <message>
            <source>An output of few lines grows by the marker in its middle.</source>
            <translation>Eine Ausgabe von wenigen Zeilen wächst durch das Zeichen in ihrer Mitte.</translation>
        </message>
        <message>
            <source>An output is cut only where that makes it shorter.</source>
            <translation>Eine Ausgabe wird nur gekürzt, wo sie dadurch kürzer wird.</translation>
        </message>
        <message>
            <source>A second pass cuts an output again, and the marker forgets how many lines there were.</source>
            <translation>Ein zweiter Durchgang kürzt eine Ausgabe noch einmal, und das Zeichen vergisst, wie viele Zeilen es waren.</translation>
        </message>
        <message>
            <source>What was cut is known by its marker, which goes on counting.</source>
            <translation>Was gekürzt wurde, ist an seinem Zeichen erkennbar, das weiterzählt.</translation>
        </message>
        <message>
            <source>An output of few but very long lines stays whole.</source>
            <translation>Eine Ausgabe von wenigen, aber sehr langen Zeilen bleibt ganz.</translation>
        </message>
        <message>
            <source>It is cut by characters, four for each token.</source>
            <translation>Sie wird nach Zeichen gekürzt, vier je Token.</translation>
        </message>
        <message>
            <source>A note of sixty bytes takes the place of outputs that are shorter than it.</source>
            <translation>Eine Notiz von sechzig Byte tritt an die Stelle von Ausgaben, die kürzer sind als sie.</translation>
        </message>
        <message>
            <source>A note is used only where it is shorter.</source>
            <translation>Eine Notiz wird nur benutzt, wo sie kürzer ist.</translation>
        </message>
        <message>
            <source>Errors are removed like any other output.</source>
            <translation>Fehler werden entfernt wie jede andere Ausgabe.</translation>
        </message>
        <message>
            <source>Errors stay.</source>
            <translation>Fehler bleiben.</translation>
        </message>
        <message>
            <source>All old outputs are removed, even where some of them would do.</source>
            <translation>Alle alten Ausgaben werden entfernt, auch wo einige genügten.</translation>
        </message>
        <message>
            <source>They are removed oldest first, until the target is met.</source>
            <translation>Sie werden entfernt, die ältesten zuerst, bis das Ziel erreicht ist.</translation>
        </message>
        <message>
            <source>The note names neither tool nor path, and counts the lines that tier 1 left.</source>
            <translation>Die Notiz nennt weder Tool noch Pfad und zählt die Zeilen, die Stufe 1 ließ.</translation>
        </message>
        <message>
            <source>It names both and counts the lines of the source.</source>
            <translation>Sie nennt beides und zählt die Zeilen der Quelle.</translation>
        </message>
        <message>
            <source>Where the tail alone is above the target nobody is told, and every turn compacts again.</source>
            <translation>Wo das Ende allein über dem Ziel liegt, erfährt es niemand, und jeder Zug verdichtet von neuem.</translation>
        </message>
        <message>
            <source>The shortfall is a warning, and nothing runs again until the history has grown (EN-03).</source>
            <translation>Was fehlt, ist eine Warnung, und nichts läuft wieder, bevor der Verlauf gewachsen ist (EN-03).</translation>
        </message>
        <message>
            <source>A summary of blanks, or one larger than what it replaces, is taken.</source>
            <translation>Eine Zusammenfassung aus Leerzeichen, oder eine größer als das Ersetzte, wird genommen.</translation>
        </message>
        <message>
            <source>It is trimmed, must say something in each section asked for, and must save tokens.</source>
            <translation>Sie wird beschnitten, muss in jedem verlangten Abschnitt etwas sagen und Token sparen.</translation>
        </message>
        <message>
            <source>The summary knows only the files and tools that the model remembered.</source>
            <translation>Die Zusammenfassung kennt nur die Dateien und Tools, an die sich das Modell erinnerte.</translation>
        </message>
        <message>
            <source>The sections FILES and TOOL HISTORY are completed from the calls, or added.</source>
            <translation>Die Abschnitte FILES und TOOL HISTORY werden aus den Aufrufen ergänzt oder hinzugefügt.</translation>
        </message>
        <message>
            <source>A request that the model's window cannot hold fails for good.</source>
            <translation>Eine Anfrage, die das Fenster des Modells nicht fasst, scheitert endgültig.</translation>
        </message>
        <message>
            <source>It goes out again with large results as placeholders and the oldest part as a digest.</source>
            <translation>Sie geht noch einmal hinaus, mit Platzhaltern für große Ergebnisse und einem Auszug des ältesten Teils.</translation>
        </message>
        <message>
            <source>What an answer cost is forgotten where it cannot be used.</source>
            <translation>Was eine Antwort kostete, ist vergessen, wo sie nicht benutzbar ist.</translation>
        </message>
        <message>
            <source>Every answered call is on record, used or not.</source>
            <translation>Jeder beantwortete Aufruf ist verzeichnet, benutzt oder nicht.</translation>
        </message>
        <message>
            <source>The summary speaks as the user, in front of another message of the user.</source>
            <translation>Die Zusammenfassung spricht als Nutzer, vor einer anderen Nachricht des Nutzers.</translation>
        </message>
        <message>
            <source>It speaks as the system; APIs without such messages get another role at export.</source>
            <translation>Sie spricht als System; APIs ohne solche Nachrichten bekommen beim Export eine andere Rolle.</translation>
        </message>
        <message>
            <source>The old messages are gone, and nothing says what was dropped.</source>
            <translation>Die alten Nachrichten sind fort, und nichts sagt, was verworfen wurde.</translation>
        </message>
        <message>
            <source>Every source message has a fate and stands among the origins of what replaces it.</source>
            <translation>Von jeder Quellnachricht ist bekannt, was aus ihr wurde, und sie gehört zur Herkunft dessen, was sie ersetzt.</translation>
        </message>
        <message>
            <source>Text of files goes into the request and the summary into its tags as it is.</source>
            <translation>Text von Dateien geht, wie er ist, in die Anfrage und die Zusammenfassung in ihre Marken.</translation>
        </message>
        <message>
            <source>The request stands between marks that nothing in it can write, and the summary cannot end its tags.</source>
            <translation>Die Anfrage steht zwischen Zeichen, die nichts darin schreiben kann, und die Zusammenfassung kann ihre Marken nicht beenden.</translation>
        </message>
        <message>
            <source>Trigger and target are computed with 32-bit floats and can be off by one.</source>
            <translation>Auslöser und Ziel werden mit 32-Bit-Kommazahlen gerechnet und können um eins danebenliegen.</translation>
        </message>
        <message>
            <source>They are computed exactly enough for any window.</source>
            <translation>Sie werden genau genug für jedes Fenster gerechnet.</translation>
        </message>
        <message>
            <source>Before the tail only tool results get shorter; this has none.</source>
            <translation>Vor dem Ende werden nur Tool-Ergebnisse kürzer; diese hat keines.</translation>
        </message>
        <message>
            <source>A line would not be shorter than what stands there.</source>
            <translation>Eine Zeile wäre nicht kürzer als das, was dort steht.</translation>
        </message>
        <message>
            <source>error occurred</source>
            <translation>Fehler aufgetreten</translation>
        </message>
        <message>
            <source>command failed</source>
            <translation>Befehl gescheitert</translation>
        </message>
        <message>
            <source>outside the protected tail ({span})</source>
            <translation>außerhalb des geschützten Endes ({span})</translation>
        </message>
        <message>
            <source>In the protected tail: newest {percent} = {span}.</source>
            <translation>Im geschützten Ende: neueste {percent} = {span}.</translation>
        </message>
        <message>
            <source>All results are lines and the target of {target} tokens is still missed: oldest first.</source>
            <translation>Alle Ergebnisse sind Zeilen, und das Ziel von {target} Token ist noch verfehlt: Älteste zuerst.</translation>
        </message>
        <message>
            <source>The protected tail, the newest {percent}, reaches back to the first message.</source>
            <translation>Das geschützte Ende, die neuesten {percent}, reicht bis zur ersten Nachricht zurück.</translation>
        </message>
        <message>
            <source>keep tail {percent} of {count}</source>
            <translation>Ende behalten: {percent} von {count}</translation>
        </message>
        <message>
            <source>No tool result before the protected tail can get shorter.</source>
            <translation>Kein Tool-Ergebnis vor dem geschützten Ende kann kürzer werden.</translation>
        </message>
        <message>
            <source>The target of {target} tokens is missed by {value}: the tail alone is that large.</source>
            <translation>Das Ziel von {target} Token ist um {value} verfehlt: Das Ende allein ist so groß.</translation>
        </message>
        <message>
            <source>The history is empty.</source>
            <translation>Der Verlauf ist leer.</translation>
        </message>
        <message>
            <source>one-line results</source>
            <translation>einzeilige Ergebnisse</translation>
        </message>
        <message>
            <source>Tool result to one line.</source>
            <translation>Tool-Ergebnis zu einer Zeile.</translation>
        </message>
        <message>
            <source>Tool result</source>
            <translation>Tool-Ergebnis</translation>
        </message>
        <message>
            <source>{lines} tool results</source>
            <translation>{lines} Tool-Ergebnisse</translation>
        </message>
        <message>
            <source>{what} to one line: {why}.</source>
            <translation>{what} zu einer Zeile: {why}.</translation>
        </message>
        <message>
            <source>unknown speaker</source>
            <translation>Unbekannter Sprecher</translation>
        </message>
        <message>
            <source>The reference forgets other speakers.</source>
            <translation>Die Referenz vergisst andere Sprecher.</translation>
        </message>
        <message>
            <source>At most {most_calls} calls in one answer are carried out; ask again</source>
            <translation>Höchstens {most_calls} Aufrufe einer Antwort werden ausgeführt; noch einmal fragen</translation>
        </message>
        <message>
            <source>{calls} calls of tools, {refused} of them refused</source>
            <translation>{calls} Aufrufe von Tools, {refused} davon abgelehnt</translation>
        </message>
        <message>
            <source>display only</source>
            <translation>Nur zur Anzeige</translation>
        </message>
        <message>
            <source>It is only shown, and never sent to a model.</source>
            <translation>Sie wird nur gezeigt und nie an ein Modell gesendet.</translation>
        </message>
        <message>
            <source>Refused: {message}</source>
            <translation>Abgelehnt: {message}</translation>
        </message>
        <message>
            <source>Run it again, choose another model, or set hybrid.mode to direct.</source>
            <translation>Noch einmal laufen lassen, ein anderes Modell wählen oder hybrid.mode auf direct setzen.</translation>
        </message>
        <message>
            <source>The agent left it as it was.</source>
            <translation>Der Agent ließ sie, wie sie war.</translation>
        </message>
        <message>
            <source>{who} took nothing away: {words}.</source>
            <translation>{who} nahm nichts weg: {words}.</translation>
        </message>
        <message>
            <source>It opens the history as system prompt and stays.</source>
            <translation>Sie eröffnet den Verlauf als System-Prompt und bleibt.</translation>
        </message>
        <message>
            <source>It is protected: the tools refuse to touch it.</source>
            <translation>Sie ist geschützt: Die Tools weigern sich, sie anzufassen.</translation>
        </message>
        <message>
            <source>Agent mode needs a model that works with tools.</source>
            <translation>Der Agent-Modus braucht ein Modell, das mit Tools arbeitet.</translation>
        </message>
        <message>
            <source>Choose a profile with a model.</source>
            <translation>Ein Profil mit einem Modell wählen.</translation>
        </message>
        <message>
            <source>round {number}</source>
            <translation>Runde {number}</translation>
        </message>
        <message>
            <source>{who} called none of the four tools.</source>
            <translation>{who} rief keines der vier Tools.</translation>
        </message>
        <message>
            <source>The agent was stopped after {rounds} rounds.</source>
            <translation>Der Agent wurde nach {rounds} Runden angehalten.</translation>
        </message>
        <message>
            <source>The result has {now} tokens, {value} more than the target of {target}.</source>
            <translation>Das Ergebnis hat {now} Token, {value} mehr als das Ziel von {target}.</translation>
        </message>
        <message>
            <source>tool result</source>
            <translation>Tool-Ergebnis</translation>
        </message>
        <message>
            <source>shortened before</source>
            <translation>Schon gekürzt</translation>
        </message>
        <message>
            <source>An earlier run shortened it; nothing is shortened twice.</source>
            <translation>Ein früherer Lauf kürzte sie; nichts wird zweimal gekürzt.</translation>
        </message>
        <message>
            <source>{what} told by what is known of it{told}: the target of {target} tokens was not met.</source>
            <translation>{what} durch das ersetzt, was davon bekannt ist{told}: Das Ziel von {target} Token war nicht erreicht.</translation>
        </message>
        <message>
            <source>Its result is</source>
            <translation>Ihr Ergebnis wird</translation>
        </message>
        <message>
            <source>Its {count} results are</source>
            <translation>Ihre {count} Ergebnisse werden</translation>
        </message>
        <message>
            <source>, from the call in {span}</source>
            <translation>, aus dem Aufruf in {span}</translation>
        </message>
        <message>
            <source>other tool</source>
            <translation>Anderes Tool</translation>
        </message>
        <message>
            <source>{hybrid_other} is {keep}: results of other tools stay.</source>
            <translation>{hybrid_other} ist {keep}: Ergebnisse anderer Tools bleiben.</translation>
        </message>
        <message>
            <source>not shorter</source>
            <translation>Nicht kürzer</translation>
        </message>
        <message>
            <source>A line would hardly be shorter than the result.</source>
            <translation>Eine Zeile wäre kaum kürzer als das Ergebnis.</translation>
        </message>
        <message>
            <source>target reached</source>
            <translation>Ziel erreicht</translation>
        </message>
        <message>
            <source>The target was reached before its turn came.</source>
            <translation>Das Ziel war erreicht, bevor die Reihe an sie kam.</translation>
        </message>
        <message>
            <source>nothing to shorten</source>
            <translation>Nichts zu kürzen</translation>
        </message>
        <message>
            <source>Nothing in it could get shorter.</source>
            <translation>Nichts darin konnte kürzer werden.</translation>
        </message>
        <message>
            <source>an inserted message</source>
            <translation>eine eingefügte Nachricht</translation>
        </message>
        <message>
            <source>{hybrid_mode} is agent, but the profile {name} has no model with tools: direct ran instead.</source>
            <translation>{hybrid_mode} ist agent, aber das Profil {name} hat kein Modell mit Tools: Stattdessen lief direct.</translation>
        </message>
        <message>
            <source>The history has {count} messages, fewer than {hybrid_min} asks for: {least}.</source>
            <translation>Der Verlauf hat {count} Nachrichten, weniger als {hybrid_min} verlangt: {least}.</translation>
        </message>
        <message>
            <source>{hybrid_mode} is agent: until the run, this shows what direct would do.</source>
            <translation>{hybrid_mode} ist agent: Bis zum Lauf zeigt dies, was direct täte.</translation>
        </message>
        <message>
            <source>The target of {target} tokens is missed by {value}</source>
            <translation>Das Ziel von {target} Token ist um {value} verfehlt</translation>
        </message>
        <message>
            <source>Every summary failed, and there was nothing else to shorten. {failures}</source>
            <translation>Jede Zusammenfassung scheiterte, und sonst war nichts zu kürzen. {failures}</translation>
        </message>
        <message>
            <source>{missed}: calls, protected and short messages stay.</source>
            <translation>{missed}: Aufrufe, geschützte und kurze Nachrichten bleiben.</translation>
        </message>
        <message>
            <source>It is among the newest {most} messages of talk, or the last of the person.</source>
            <translation>Sie ist unter den neuesten {most} Nachrichten des Gesprächs oder die letzte der Person.</translation>
        </message>
        <message>
            <source>system message</source>
            <translation>System-Nachricht</translation>
        </message>
        <message>
            <source>The first system message and the newest one stay.</source>
            <translation>Die erste System-Nachricht und die neueste bleiben.</translation>
        </message>
        <message>
            <source>An older injection of context, as one line.</source>
            <translation>Ein älterer Einschub von Kontext, als eine Zeile.</translation>
        </message>
        <message>
            <source>The history has {total} tokens, within the target of {target}.</source>
            <translation>Der Verlauf hat {total} Token, innerhalb des Ziels von {target}.</translation>
        </message>
        <message>
            <source>Nothing but protected messages is left that could get shorter.</source>
            <translation>Nur geschützte Nachrichten sind übrig, die kürzer werden könnten.</translation>
        </message>
        <message>
            <source>It stands for what an earlier run shortened.</source>
            <translation>Sie steht für das, was ein früherer Lauf kürzte.</translation>
        </message>
        <message>
            <source>old context</source>
            <translation>Alter Kontext</translation>
        </message>
        <message>
            <source>{what} failed, {became}. {failures}{given_up}</source>
            <translation>{what} scheiterten, {became}. {failures}{given_up}</translation>
        </message>
        <message>
            <source>Its summary failed; its first {cut} bytes stay.</source>
            <translation>Ihre Zusammenfassung scheiterte; ihre ersten {cut} Byte bleiben.</translation>
        </message>
        <message>
            <source>the start of each message stays</source>
            <translation>der Anfang jeder Nachricht bleibt</translation>
        </message>
        <message>
            <source>the messages stay whole</source>
            <translation>die Nachrichten bleiben ganz</translation>
        </message>
        <message>
            <source>1 summary</source>
            <translation>1 Zusammenfassung</translation>
        </message>
        <message>
            <source>After {most_failures} failures in a row the model was not asked again.</source>
            <translation>Nach {most_failures} Fehlschlägen hintereinander wurde das Modell nicht mehr gefragt.</translation>
        </message>
        <message>
            <source>no text</source>
            <translation>Kein Text</translation>
        </message>
        <message>
            <source>It has no text; what else is in it stays.</source>
            <translation>Sie hat keinen Text; was sonst darin ist, bleibt.</translation>
        </message>
        <message>
            <source>earlier summary</source>
            <translation>Frühere Zusammenfassung</translation>
        </message>
        <message>
            <source>It is the summary of an earlier compaction.</source>
            <translation>Sie ist die Zusammenfassung einer früheren Verdichtung.</translation>
        </message>
        <message>
            <source>{profile} ({model}) left out messages of a batch.</source>
            <translation>{profile} ({model}) ließ Nachrichten eines Stapels aus.</translation>
        </message>
        <message>
            <source>Summarised by itself, in at most {most} tokens.</source>
            <translation>Für sich zusammengefasst, in höchstens {most} Token.</translation>
        </message>
        <message>
            <source>summary failed</source>
            <translation>Zusammenfassung gescheitert</translation>
        </message>
        <message>
            <source>Its summary failed, so that it stays whole.</source>
            <translation>Ihre Zusammenfassung scheiterte, so dass sie ganz bleibt.</translation>
        </message>
        <message>
            <source>It is too short for a summary to be shorter.</source>
            <translation>Sie ist zu kurz, als dass eine Zusammenfassung kürzer wäre.</translation>
        </message>
        <message>
            <source>cut off</source>
            <translation>Abgeschnitten</translation>
        </message>
        <message>
            <source>The summary of {place} was not shorter than the message.</source>
            <translation>Die Zusammenfassung von {place} war nicht kürzer als die Nachricht.</translation>
        </message>
        <message>
            <source>agent segment</source>
            <translation>Abschnitt des Agenten</translation>
        </message>
        <message>
            <source>agent tool result</source>
            <translation>Tool-Ergebnis durch den Agenten</translation>
        </message>
        <message>
            <source>Looked at {messages} messages and their texts.</source>
            <translation>{messages} Nachrichten und ihre Texte angesehen.</translation>
        </message>
        <message>
            <source>Looked at {messages} messages.</source>
            <translation>{messages} Nachrichten angesehen.</translation>
        </message>
        <message>
            <source>The agent asked for it: {before} tokens of a tool's result became {after}.</source>
            <translation>Der Agent verlangte es: Aus {before} Token eines Tool-Ergebnisses wurden {after}.</translation>
        </message>
        <message>
            <source>The result in {where} became a line: {before} → {after} tokens.</source>
            <translation>Das Ergebnis in {where} wurde eine Zeile: {before} → {after} Token.</translation>
        </message>
        <message>
            <source>The agent's summary stands for {where}: {before} tokens became {after}.</source>
            <translation>Die Zusammenfassung des Agenten steht für {where}: Aus {before} Token wurden {after}.</translation>
        </message>
        <message>
            <source>{where} became one summary: {before} → {after} tokens.</source>
            <translation>{where} wurde eine Zusammenfassung: {before} → {after} Token.</translation>
        </message>
        <message>
            <source>the target is reached</source>
            <translation>das Ziel ist erreicht</translation>
        </message>
        <message>
            <source>{over} tokens over the target</source>
            <translation>{over} Token über dem Ziel</translation>
        </message>
        <message>
            <source>Nothing was changed: {why}.</source>
            <translation>Nichts wurde geändert: {why}.</translation>
        </message>
        <message>
            <source>{where} stays as it is: {why}.</source>
            <translation>{where} bleibt, wie es ist: {why}.</translation>
        </message>
        <message>
            <source>Checked: {reached}.</source>
            <translation>Geprüft: {reached}.</translation>
        </message>
        <message>
            <source>Message index {place} out of range (total messages: {count})</source>
            <translation>Nachrichtenindex {place} außerhalb des Bereichs (Nachrichten insgesamt: {count})</translation>
        </message>
        <message>
            <source>Message at index {place} is not a tool message (role: {role})</source>
            <translation>Die Nachricht mit Index {place} ist keine Tool-Nachricht (Rolle: {role})</translation>
        </message>
        <message>
            <source>Unknown strategy: {strategy}</source>
            <translation>Unbekannte Strategie: {strategy}</translation>
        </message>
        <message>
            <source>Cannot compress: Message at index {place} is protected</source>
            <translation>Nicht verdichtbar: Die Nachricht mit Index {place} ist geschützt</translation>
        </message>
        <message>
            <source>Message at index {place} is compressed already</source>
            <translation>Die Nachricht mit Index {place} ist schon verdichtet</translation>
        </message>
        <message>
            <source>Invalid range: start_index ({start}) &gt; end_index ({end})</source>
            <translation>Ungültiger Bereich: start_index ({start}) &gt; end_index ({end})</translation>
        </message>
        <message>
            <source>end_index ({end}) out of range (total messages: {count})</source>
            <translation>end_index ({end}) außerhalb des Bereichs (Nachrichten insgesamt: {count})</translation>
        </message>
        <message>
            <source>Cannot compress: Message at index {start} is the system prompt</source>
            <translation>Nicht verdichtbar: Die Nachricht mit Index {start} ist der System-Prompt</translation>
        </message>
        <message>
            <source>Cannot compress: the call and its result in messages {low} and {high} would be separated; take both or neither</source>
            <translation>Nicht verdichtbar: Der Aufruf und sein Ergebnis in den Nachrichten {low} und {high} würden getrennt; beide nehmen oder keinen</translation>
        </message>
        <message>
            <source>Cannot compress: the summary is empty</source>
            <translation>Nicht verdichtbar: Die Zusammenfassung ist leer</translation>
        </message>
        <message>
            <source>Unknown tool: {name}. There are {join}.</source>
            <translation>Unbekanntes Tool: {name}. Es gibt {join}.</translation>
        </message>
        <message>
            <source>the text for it would not be shorter</source>
            <translation>der Text dafür wäre nicht kürzer</translation>
        </message>
        <message>
            <source>the summary would not be shorter</source>
            <translation>die Zusammenfassung wäre nicht kürzer</translation>
        </message>
        <message>
            <source>Cannot compress: Message at index {place} is protected{newest}</source>
            <translation>Nicht verdichtbar: Die Nachricht mit Index {place} ist geschützt{newest}</translation>
        </message>
        <message>
            <source>keep top {percent} of {count}</source>
            <translation>oben behalten: {percent} von {count}</translation>
        </message>
        <message>
            <source>keep bottom {percent} of {count}</source>
            <translation>unten behalten: {percent} von {count}</translation>
        </message>
        <message>
            <source>Between top and bottom {lie}; {name} needs {min_messages}.</source>
            <translation>Zwischen oben und unten {lie}; {name} braucht {min_messages}.</translation>
        </message>
        <message>
            <source>lies 1 message</source>
            <translation>liegt 1 Nachricht</translation>
        </message>
        <message>
            <source>lie {between} messages</source>
            <translation>liegen {between} Nachrichten</translation>
        </message>
        <message>
            <source>In the top: oldest {percent} = {span}.</source>
            <translation>Oben: älteste {percent} = {span}.</translation>
        </message>
        <message>
            <source>In the middle, {span}: the summary stands for it.</source>
            <translation>In der Mitte, {span}: Die Zusammenfassung steht dafür.</translation>
        </message>
        <message>
            <source>In the bottom: newest {percent} = {below}.</source>
            <translation>Unten: neueste {percent} = {below}.</translation>
        </message>
        <message>
            <source>no valid boundary</source>
            <translation>Keine gültige Grenze</translation>
        </message>
        <message>
            <source>Before the cut {lie}; {name} needs {min_messages}.</source>
            <translation>Vor dem Schnitt {lie}; {name} braucht {min_messages}.</translation>
        </message>
        <message>
            <source>Before the cut, {span}: the summary stands for it.</source>
            <translation>Vor dem Schnitt, {span}: Die Zusammenfassung steht dafür.</translation>
        </message>
        <message>
            <source>In the bottom: newest {percent} = {span}.</source>
            <translation>Unten: neueste {percent} = {span}.</translation>
        </message>
        <message>
            <source>lie {before} messages</source>
            <translation>liegen {before} Nachrichten</translation>
        </message>
        <message>
            <source>A pin keeps it whole.</source>
            <translation>Eine Anheftung behält sie ganz.</translation>
        </message>
        <message>
            <source>A pin keeps the message that it forms a pair with.</source>
            <translation>Eine Anheftung behält die Nachricht, mit der sie ein Paar bildet.</translation>
        </message>
        <message>
            <source>The last request of the person always stays.</source>
            <translation>Die letzte Bitte der Person bleibt immer.</translation>
        </message>
        <message>
            <source>{span} is not dropped: {why}</source>
            <translation>{span} wird nicht verworfen: {why}</translation>
        </message>
        <message>
            <source>With a warm cache it pays back after {even} calls, and the trigger is reached again after about {expected} ({words})</source>
            <translation>Mit warmem Cache zahlt es sich nach {even} Aufrufen aus, und der Auslöser kommt nach etwa {expected} wieder ({words})</translation>
        </message>
        <message>
            <source>{words}: it would cost more than it saves.</source>
            <translation>{words}: Es würde mehr kosten, als es spart.</translation>
        </message>
        <message>
            <source>In the middle, {span}: the snapshot stands for it.</source>
            <translation>In der Mitte, {span}: Der Stand steht dafür.</translation>
        </message>
        <message>
            <source>newest {room} tokens</source>
            <translation>neueste {room} Token</translation>
        </message>
        <message>
            <source>the message of the person that is near, or the calls that results answer, move it</source>
            <translation>die nahe Nachricht der Person oder die Aufrufe, die Ergebnisse beantworten, verschieben ihn</translation>
        </message>
        <message>
            <source>Its own rule</source>
            <translation>Die eigene Regel</translation>
        </message>
        <message>
            <source>masked output</source>
            <translation>Verdeckte Ausgabe</translation>
        </message>
        <message>
            <source>short arguments</source>
            <translation>Kurze Argumente</translation>
        </message>
        <message>
            <source>long request</source>
            <translation>Lange Bitte</translation>
        </message>
        <message>
            <source>The last request, which alone would take most of the target: its beginning and its end.</source>
            <translation>Die letzte Bitte, die allein das meiste des Ziels bräuchte: ihr Anfang und ihr Ende.</translation>
        </message>
        <message>
            <source>Old output of a tool as one line: the same call would give it again.</source>
            <translation>Alte Ausgabe eines Tools als eine Zeile: Derselbe Aufruf gäbe sie wieder.</translation>
        </message>
        <message>
            <source>A large output, of which the beginning and the end stay.</source>
            <translation>Eine große Ausgabe, von der Anfang und Ende bleiben.</translation>
        </message>
        <message>
            <source>The long arguments of an old call, cut to their beginning.</source>
            <translation>Die langen Argumente eines alten Aufrufs, auf ihren Anfang gekürzt.</translation>
        </message>
        <message>
            <source>Decisions and next step</source>
            <translation>Entscheidungen und nächster Schritt</translation>
        </message>
        <message>
            <source>decisions and next step</source>
            <translation>Entscheidungen und nächster Schritt</translation>
        </message>
        <message>
            <source>stale read</source>
            <translation>Veraltetes Lesen</translation>
        </message>
        <message>
            <source>superseded read</source>
            <translation>Überholtes Lesen</translation>
        </message>
        <message>
            <source>The file was changed since, in #{number}: what it shows is old.</source>
            <translation>Die Datei wurde seither geändert, in #{number}: Was es zeigt, ist alt.</translation>
        </message>
        <message>
            <source>Read again in #{number}, which shows every line of it.</source>
            <translation>Noch einmal gelesen in #{number}, das jede Zeile davon zeigt.</translation>
        </message>
        <message>
            <source>dropped by a pin</source>
            <translation>Durch Anheftung verworfen</translation>
        </message>
        <message>
            <source>A pin drops it, or the message that it forms a pair with.</source>
            <translation>Eine Anheftung verwirft sie oder die Nachricht, mit der sie ein Paar bildet.</translation>
        </message>
        <message>
            <source>The target was reached without it.</source>
            <translation>Das Ziel wurde ohne sie erreicht.</translation>
        </message>
        <message>
            <source>It is among the newest messages, which stay.</source>
            <translation>Sie ist unter den neuesten Nachrichten, die bleiben.</translation>
        </message>
        <message>
            <source>Nothing but pinned messages, the newest output and the last turn is left.</source>
            <translation>Nur angeheftete Nachrichten, die neueste Ausgabe und der letzte Zug sind übrig.</translation>
        </message>
        <message>
            <source>{missed}: rules, pinned messages and the last turn stay.</source>
            <translation>{missed}: Regeln, angeheftete Nachrichten und der letzte Zug bleiben.</translation>
        </message>
        <message>
            <source>kept whole</source>
            <translation>Ganz behalten</translation>
        </message>
        <message>
            <source>the file was changed later</source>
            <translation>die Datei wurde später geändert</translation>
        </message>
        <message>
            <source>it was read again later</source>
            <translation>es wurde später noch einmal gelesen</translation>
        </message>
        <message>
            <source>{value} {path}, {size}, hash {hash}</source>
            <translation>{value} {path}, {size}, Hash {hash}</translation>
        </message>
        <message>
            <source>{lines} line</source>
            <translation>{lines} Zeile</translation>
        </message>
        <message>
            <source>{lines} lines</source>
            <translation>{lines} Zeilen</translation>
        </message>
        <message>
            <source>{value} of {join}</source>
            <translation>{value} von {join}</translation>
        </message>
        <message>
            <source>lines {ranges}</source>
            <translation>Zeilen {ranges}</translation>
        </message>
        <message>
            <source>without a word</source>
            <translation>ohne ein Wort</translation>
        </message>
        <message>
            <source>old results</source>
            <translation>Alte Ergebnisse</translation>
        </message>
        <message>
            <source>old inputs</source>
            <translation>Alte Eingaben</translation>
        </message>
        <message>
            <source>{tools} results became placeholders</source>
            <translation>{tools} Ergebnisse wurden Platzhalter</translation>
        </message>
        <message>
            <source>The arguments of its calls went with their results.</source>
            <translation>Die Argumente ihrer Aufrufe gingen mit deren Ergebnissen.</translation>
        </message>
        <message>
            <source>Beyond {join}</source>
            <translation>Jenseits von {join}</translation>
        </message>
        <message>
            <source>the {keep} newest results</source>
            <translation>den {keep} neuesten Ergebnissen</translation>
        </message>
        <message>
            <source>the newest {keep_tokens} tokens of tool output</source>
            <translation>den neuesten {keep_tokens} Token der Tool-Ausgaben</translation>
        </message>
        <message>
            <source>the result of {tools} became a placeholder</source>
            <translation>das Ergebnis von {tools} wurde ein Platzhalter</translation>
        </message>
        <message>
            <source>it became a placeholder</source>
            <translation>es wurde ein Platzhalter</translation>
        </message>
        <message>
            <source>The placeholder would not be shorter.</source>
            <translation>Der Platzhalter wäre nicht kürzer.</translation>
        </message>
        <message>
            <source>Cleared before.</source>
            <translation>Schon geleert.</translation>
        </message>
        <message>
            <source>Protected: the newest {keep_tokens} tokens of tool output.</source>
            <translation>Geschützt: die neuesten {keep_tokens} Token der Tool-Ausgaben.</translation>
        </message>
        <message>
            <source>No message holds the result of a tool.</source>
            <translation>Keine Nachricht enthält das Ergebnis eines Tools.</translation>
        </message>
        <message>
            <source>None of the {count} results goes</source>
            <translation>Keines der {count} Ergebnisse geht</translation>
        </message>
        <message>
            <source>The one result stays</source>
            <translation>Das eine Ergebnis bleibt</translation>
        </message>
        <message>
            <source>In the newest {turns} turns.</source>
            <translation>In den neuesten {turns} Zügen.</translation>
        </message>
        <message>
            <source>In the last turn.</source>
            <translation>Im letzten Zug.</translation>
        </message>
        <message>
            <source>Among the {keep} newest results.</source>
            <translation>Unter den {keep} neuesten Ergebnissen.</translation>
        </message>
        <message>
            <source>{gain} tokens of results are old; it acts from {minimum} on.</source>
            <translation>{gain} Token von Ergebnissen sind alt; es handelt ab {minimum}.</translation>
        </message>
        <message>
            <source>Before the summary of an earlier compaction.</source>
            <translation>Vor der Zusammenfassung einer früheren Verdichtung.</translation>
        </message>
        <message>
            <source>Results of {value} are never cleared.</source>
            <translation>Ergebnisse von {value} werden nie geleert.</translation>
        </message>
        <message>
            <source>a tool without a name</source>
            <translation>ein Tool ohne Namen</translation>
        </message>
        <message>
            <source>This preset changes nothing: it is the baseline for the others.</source>
            <translation>Dieses Preset ändert nichts: Es ist die Grundlinie für die anderen.</translation>
        </message>
        <message>
            <source>not concerned</source>
            <translation>Nicht betroffen</translation>
        </message>
        <message>
            <source>No rule of {name} is about it.</source>
            <translation>Keine Regel von {name} betrifft sie.</translation>
        </message>
        <message>
            <source>No summary was written. {reason}</source>
            <translation>Keine Zusammenfassung wurde geschrieben. {reason}</translation>
        </message>
        <message>
            <source>and summary go together, and reinject only with them</source>
            <translation>und summary gehören zusammen, und reinject nur zu ihnen</translation>
        </message>
        <message>
            <source>takes one size (share and margin, tokens, messages or idle_minutes), or none</source>
            <translation>nimmt eine Größe (share und margin, tokens, messages oder idle_minutes) oder keine</translation>
        </message>
        <message>
            <source>{name} cannot be read: {error}.</source>
            <translation>{name} ist nicht lesbar: {error}.</translation>
        </message>
        <message>
            <source>Every preset is one TOML file.</source>
            <translation>Jedes Preset ist eine TOML-Datei.</translation>
        </message>
        <message>
            <source>left out of the request</source>
            <translation>Aus der Anfrage gelassen</translation>
        </message>
        <message>
            <source>as text</source>
            <translation>Als Text</translation>
        </message>
        <message>
            <source>Every message is the person's own, and those stay as they are.</source>
            <translation>Jede Nachricht ist eine der Person, und die bleiben, wie sie sind.</translation>
        </message>
        <message>
            <source>Told as text after the summary, no message of its own any more{cut}.</source>
            <translation>Nach der Zusammenfassung als Text erzählt, keine eigene Nachricht mehr{cut}.</translation>
        </message>
        <message>
            <source>{name} has no split or no summary</source>
            <translation>{name} hat keine Teilung oder keine Zusammenfassung</translation>
        </message>
        <message>
            <source>this message</source>
            <translation>diese Nachricht</translation>
        </message>
        <message>
            <source>The summary stands for {whole}.</source>
            <translation>Die Zusammenfassung steht für {whole}.</translation>
        </message>
        <message>
            <source>; results of tools up to {most} characters</source>
            <translation>; Ergebnisse von Tools bis {most} Zeichen</translation>
        </message>
        <message>
            <source>Never read: the model was given the newest {tokens} tokens only.</source>
            <translation>Nie gelesen: Das Modell bekam nur die neuesten {tokens} Token.</translation>
        </message>
        <message>
            <source>Took {percent} % of the results of tools ({gone}) out of the middle, so that the rest fits.</source>
            <translation>{percent} % der Tool-Ergebnisse ({gone}) aus der Mitte genommen, damit der Rest passt.</translation>
        </message>
        <message>
            <source>Its results were never read: {percent} % of all were taken out, from the middle on.</source>
            <translation>Ihre Ergebnisse wurden nie gelesen: {percent} % aller wurden herausgenommen, von der Mitte an.</translation>
        </message>
        <message>
            <source>words of the person</source>
            <translation>Worte der Person</translation>
        </message>
        <message>
            <source>{path} was in use before the summary. Read it again when it is needed.</source>
            <translation>{path} war vor der Zusammenfassung in Gebrauch. Bei Bedarf noch einmal lesen.</translation>
        </message>
        <message>
            <source>Among the newest {tokens} tokens of what the person wrote.</source>
            <translation>Unter den neuesten {tokens} Token dessen, was die Person schrieb.</translation>
        </message>
        <message>
            <source>Part of the first context, before #{value}.</source>
            <translation>Teil des ersten Kontexts, vor #{value}.</translation>
        </message>
        <message>
            <source>The newest message of the person that is text.</source>
            <translation>Die neueste Nachricht der Person, die Text ist.</translation>
        </message>
        <message>
            <source>Shortened from {cost} tokens: the newest {tokens} end in this message.</source>
            <translation>Gekürzt von {cost} Token: Die neuesten {tokens} enden in dieser Nachricht.</translation>
        </message>
        <message>
            <source>results of tools, before which it never cuts, move it</source>
            <translation>Tool-Ergebnisse, vor denen es nie schneidet, verschieben ihn</translation>
        </message>
        <message>
            <source>the message of the person that it has to begin with moves it</source>
            <translation>die Nachricht der Person, mit der es beginnen muss, verschiebt ihn</translation>
        </message>
        <message>
            <source>the calls that the results answer move it</source>
            <translation>die Aufrufe, die die Ergebnisse beantworten, verschieben ihn</translation>
        </message>
        <message>
            <source>newest tokens</source>
            <translation>neueste Token</translation>
        </message>
        <message>
            <source>newest exchanges</source>
            <translation>neueste Wortwechsel</translation>
        </message>
        <message>
            <source>newest share</source>
            <translation>neuester Anteil</translation>
        </message>
        <message>
            <source>newest messages</source>
            <translation>neueste Nachrichten</translation>
        </message>
        <message>
            <source>first and newest</source>
            <translation>erste und neueste</translation>
        </message>
        <message>
            <source>newest {tokens} tokens</source>
            <translation>neueste {tokens} Token</translation>
        </message>
        <message>
            <source>newest {share} of the characters, from a message of the person</source>
            <translation>neueste {share} der Zeichen, ab einer Nachricht der Person</translation>
        </message>
        <message>
            <source>half of {count} messages remain</source>
            <translation>die Hälfte von {count} Nachrichten bleibt</translation>
        </message>
        <message>
            <source>Among the first {first} messages or the newest, of which half remain.</source>
            <translation>Unter den ersten {first} Nachrichten oder den neuesten, von denen die Hälfte bleibt.</translation>
        </message>
        <message>
            <source>{count} message and {count2} tokens</source>
            <translation>{count} Nachricht und {count2} Token</translation>
        </message>
        <message>
            <source>{count} messages and {count2} tokens</source>
            <translation>{count} Nachrichten und {count2} Token</translation>
        </message>
        <message>
            <source>newest {tokens} tokens, from a message of the person</source>
            <translation>neueste {tokens} Token, ab einer Nachricht der Person</translation>
        </message>
        <message>
            <source>newest {messages} messages</source>
            <translation>neueste {messages} Nachrichten</translation>
        </message>
        <message>
            <source>Between the first {first} messages and the newest {between}; less than {progress} of {count} is not worth a summary.</source>
            <translation>Zwischen den ersten {first} Nachrichten und den neuesten {between}; weniger als {progress} von {count} ist keine Zusammenfassung wert.</translation>
        </message>
        <message>
            <source>In the tail: {wish}.</source>
            <translation>Im Ende: {wish}.</translation>
        </message>
        <message>
            <source>What stays ({wish}) is the whole history of {whole}.</source>
            <translation>Was bleibt ({wish}), ist der ganze Verlauf von {whole}.</translation>
        </message>
        <message>
            <source>first {first} messages</source>
            <translation>erste {first} Nachrichten</translation>
        </message>
        <message>
            <source>lie {max} messages</source>
            <translation>liegen {max} Nachrichten</translation>
        </message>
        <message>
            <source>{lost} of {messages} messages ({tokens} tokens)</source>
            <translation>{lost} von {messages} Nachrichten ({tokens} Token)</translation>
        </message>
        <message>
            <source>{preset}: the summary of {profile} ({model})</source>
            <translation>{preset}: die Zusammenfassung von {profile} ({model})</translation>
        </message>
        <message>
            <source>beginning of the exchange</source>
            <translation>Anfang des Wortwechsels</translation>
        </message>
        <message>
            <source>{preset} gave the model its newest {last_tokens} tokens only; dropped unread: {share}.</source>
            <translation>{preset} gab dem Modell nur seine neuesten {last_tokens} Token; ungelesen verworfen: {share}.</translation>
        </message>
        <message>
            <source>{preset}: the summary request does not fit into {limit} tokens, even without the results of tools.</source>
            <translation>{preset}: Die Anfrage nach der Zusammenfassung passt nicht in {limit} Token, auch ohne die Tool-Ergebnisse.</translation>
        </message>
        <message>
            <source>{preset} took results out of {share} before the model read them.</source>
            <translation>{preset} nahm Ergebnisse aus {share}, bevor das Modell sie las.</translation>
        </message>
        <message>
            <source>{who} holds nothing but its draft.</source>
            <translation>{who} enthält nichts als seinen Entwurf.</translation>
        </message>
        <message>
            <source>{who} has none of the headings that were asked for.</source>
            <translation>{who} hat keine der verlangten Überschriften.</translation>
        </message>
        <message>
            <source>check of the {purpose}</source>
            <translation>Prüfung: {purpose}</translation>
        </message>
        <message>
            <source>old thinking</source>
            <translation>Altes Denken</translation>
        </message>
        <message>
            <source>the newest {keep_turns} turns</source>
            <translation>die neuesten {keep_turns} Züge</translation>
        </message>
        <message>
            <source>the newest turn</source>
            <translation>der neueste Zug</translation>
        </message>
        <message>
            <source>Thinking goes beyond {turns} with any.</source>
            <translation>Denken jenseits davon geht: {turns} mit solchem.</translation>
        </message>
        <message>
            <source>No thinking lies beyond {turns}.</source>
            <translation>Kein Denken liegt jenseits davon: {turns}.</translation>
        </message>
        <message>
            <source>typed messages stay</source>
            <translation>Getippte Nachrichten bleiben</translation>
        </message>
        <message>
            <source>Nothing may go: what a person typed, the last words of the model, and unanswered calls stay.</source>
            <translation>Nichts darf gehen: Was eine Person tippte, die letzten Worte des Modells und unbeantwortete Aufrufe bleiben.</translation>
        </message>
        <message>
            <source>The target of {target} tokens is missed by {over}: nothing else may go.</source>
            <translation>Das Ziel von {target} Token ist um {over} verfehlt: Sonst darf nichts gehen.</translation>
        </message>
        <message>
            <source>Oldest first until under {target} tokens, calls with their results</source>
            <translation>Älteste zuerst, bis unter {target} Token, Aufrufe mit ihren Ergebnissen</translation>
        </message>
        <message>
            <source>A target that is a share of the limit</source>
            <translation>Ein Ziel, das ein Anteil am Limit ist</translation>
        </message>
        <message>
            <source>Already under the target: {total} of {target} tokens.</source>
            <translation>Schon unter dem Ziel: {total} von {target} Token.</translation>
        </message>
        <message>
            <source>{why}; a notice says what the tools did.</source>
            <translation>{why}; ein Hinweis sagt, was die Tools taten.</translation>
        </message>
        <message>
            <source>{why}; of the newest {keep_texts} texts the words stay.</source>
            <translation>{why}; von den neuesten {keep_texts} Texten bleiben die Worte.</translation>
        </message>
        <message>
            <source>Typed by a person: it always stays.</source>
            <translation>Von einer Person getippt: Sie bleibt immer.</translation>
        </message>
        <message>
            <source>Among the newest {keep_texts} texts of the model.</source>
            <translation>Unter den neuesten {keep_texts} Texten des Modells.</translation>
        </message>
        <message>
            <source>Newer than what had to go for the target of {target} tokens.</source>
            <translation>Neuer als das, was für das Ziel von {target} Token gehen musste.</translation>
        </message>
        <message>
            <source>By itself it acts after a pause of {idle_minutes} minutes</source>
            <translation>Von selbst handelt es nach einer Pause von {idle_minutes} Minuten</translation>
        </message>
        <message>
            <source>By itself it acts above {messages} messages; here are {history}.</source>
            <translation>Von selbst handelt es über {messages} Nachrichten; hier sind es {history}.</translation>
        </message>
        <message>
            <source>{by_itself}; the times of this conversation do not tell the last pause.</source>
            <translation>{by_itself}; die Zeiten dieses Gesprächs nennen die letzte Pause nicht.</translation>
        </message>
        <message>
            <source>{by_itself}; the last one here was {pause}.</source>
            <translation>{by_itself}; die letzte hier dauerte {pause}.</translation>
        </message>
        <message>
            <source>{did_you_mean}Known: {join}.</source>
            <translation>{did_you_mean}Bekannt: {join}.</translation>
        </message>
        <message>
            <source>There is no strategy {name}.</source>
            <translation>Es gibt keine Strategie {name}.</translation>
        </message>
        <message>
            <source>refused to write the summary</source>
            <translation>weigerte sich, die Zusammenfassung zu schreiben</translation>
        </message>
        <message>
            <source>ended the summary too early (finish reason: length)</source>
            <translation>beendete die Zusammenfassung zu früh (finish reason: length)</translation>
        </message>
        <message>
            <source>wrote an empty summary</source>
            <translation>schrieb eine leere Zusammenfassung</translation>
        </message>
        <message>
            <source>{strategy}: {who} failed: {name}: {error}.</source>
            <translation>{strategy}: {who} scheiterte: {name}: {error}.</translation>
        </message>
        <message>
            <source>No tier changed it.</source>
            <translation>Keine Stufe änderte sie.</translation>
        </message>
        <message>
            <source>keep the newest {keep}</source>
            <translation>neueste behalten: {keep}</translation>
        </message>
        <message>
            <source>An output of more than {most} tokens.</source>
            <translation>Eine Ausgabe von mehr als {most} Token.</translation>
        </message>
        <message>
            <source>An output before the protected messages.</source>
            <translation>Eine Ausgabe vor den geschützten Nachrichten.</translation>
        </message>
        <message>
            <source>Before the protected messages: the summary stands.</source>
            <translation>Vor den geschützten Nachrichten: Die Zusammenfassung steht dafür.</translation>
        </message>
        <message>
            <source>An error stays: it says what not to do again.</source>
            <translation>Ein Fehler bleibt: Er sagt, was nicht wieder zu tun ist.</translation>
        </message>
        <message>
            <source>The note would not be shorter than the output.</source>
            <translation>Die Notiz wäre nicht kürzer als die Ausgabe.</translation>
        </message>
        <message>
            <source>The target was met before the turn came to this output.</source>
            <translation>Das Ziel war erreicht, bevor die Reihe an diese Ausgabe kam.</translation>
        </message>
        <message>
            <source>The model has not read this output yet.</source>
            <translation>Das Modell hat diese Ausgabe noch nicht gelesen.</translation>
        </message>
        <message>
            <source>{what} before the protected messages; a note stands for {count} line.</source>
            <translation>{what} vor den geschützten Nachrichten; eine Notiz steht für {count} Zeile.</translation>
        </message>
        <message>
            <source>{what} before the protected messages; a note stands for {count} lines.</source>
            <translation>{what} vor den geschützten Nachrichten; eine Notiz steht für {count} Zeilen.</translation>
        </message>
        <message>
            <source>No output before the cut can get shorter.</source>
            <translation>Keine Ausgabe vor dem Schnitt kann kürzer werden.</translation>
        </message>
        <message>
            <source>No message lies before the protected ones.</source>
            <translation>Keine Nachricht liegt vor den geschützten.</translation>
        </message>
        <message>
            <source>, starting with: {first}...</source>
            <translation>, beginnend mit: {first}...</translation>
        </message>
        <message>
            <source>An output</source>
            <translation>Eine Ausgabe</translation>
        </message>
        <message>
            <source>{lines} outputs</source>
            <translation>{lines} Ausgaben</translation>
        </message>
        <message>
            <source>lacks the section {listed}</source>
            <translation>fehlt der Abschnitt {listed}</translation>
        </message>
        <message>
            <source>lacks the sections {listed}</source>
            <translation>fehlen die Abschnitte {listed}</translation>
        </message>
        <message>
            <source>says nothing in any of its sections</source>
            <translation>sagt in keinem Abschnitt etwas</translation>
        </message>
        <message>
            <source>more tools</source>
            <translation>weitere Tools</translation>
        </message>
        <message>
            <source>more files</source>
            <translation>weitere Dateien</translation>
        </message>
        <message>
            <source>, {wrong} failed</source>
            <translation>, {wrong} gescheitert</translation>
        </message>
        <message>
            <source>, none failed</source>
            <translation>, keiner gescheitert</translation>
        </message>
        <message>
            <source>The output reserve of {reserve} tokens is not below the limit of {limit}: the target is 0.</source>
            <translation>Die Ausgabereserve von {reserve} Token liegt nicht unter dem Limit von {limit}: Das Ziel ist 0.</translation>
        </message>
        <message>
            <source>Protected: among the newest {keep} messages, {span}.</source>
            <translation>Geschützt: unter den neuesten {keep} Nachrichten, {span}.</translation>
        </message>
        <message>
            <source>before the cut</source>
            <translation>Vor dem Schnitt</translation>
        </message>
        <message>
            <source>No tier that ran had anything to take from it.</source>
            <translation>Keine Stufe, die lief, hatte etwas von ihr zu nehmen.</translation>
        </message>
        <message>
            <source>No compaction needed: {before} tokens, the target is {target}.</source>
            <translation>Keine Verdichtung nötig: {before} Token, das Ziel ist {target}.</translation>
        </message>
        <message>
            <source>keep the newest {keep} of {total}, results of one turn as one</source>
            <translation>neueste {keep} von {total} behalten, Ergebnisse eines Zugs als eines</translation>
        </message>
        <message>
            <source>The first two tiers found nothing to save. {note}</source>
            <translation>Die ersten zwei Stufen fanden nichts zu sparen. {note}</translation>
        </message>
        <message>
            <source>The first two tiers found nothing to save, and there is no summary. {fault}</source>
            <translation>Die ersten zwei Stufen fanden nichts zu sparen, und es gibt keine Zusammenfassung. {fault}</translation>
        </message>
        <message>
            <source>Tier 1 had nothing to cut, and one turn of calls and results reaches over the whole history.</source>
            <translation>Stufe 1 hatte nichts zu kürzen, und ein Zug aus Aufrufen und Ergebnissen reicht über den ganzen Verlauf.</translation>
        </message>
        <message>
            <source>Tier 1 had nothing to cut, and all messages are among the {keep} protected ones.</source>
            <translation>Stufe 1 hatte nichts zu kürzen, und alle Nachrichten sind unter den {keep} geschützten.</translation>
        </message>
        <message>
            <source>above the target tier 3 runs</source>
            <translation>über dem Ziel läuft Stufe 3</translation>
        </message>
        <message>
            <source>The result of tier 2 is kept.</source>
            <translation>Das Ergebnis von Stufe 2 wird behalten.</translation>
        </message>
        <message>
            <source>The target of {target} tokens is missed by {value}.</source>
            <translation>Das Ziel von {target} Token ist um {value} verfehlt.</translation>
        </message>
        <message>
            <source>Before the protected messages, {span}: the summary of the originals stands for it.</source>
            <translation>Vor den geschützten Nachrichten, {span}: Die Zusammenfassung der Originale steht dafür.</translation>
        </message>
        <message>
            <source>Before the cut lie {size} tokens; a summary takes {least} before it says anything.</source>
            <translation>Vor dem Schnitt liegen {size} Token; eine Zusammenfassung braucht {least}, bevor sie etwas sagt.</translation>
        </message>
        <message>
            <source>{strategy}: the summary of {who} saves nothing: {before} tokens became {after}.</source>
            <translation>{strategy}: Die Zusammenfassung von {who} spart nichts: Aus {before} Token wurden {after}.</translation>
        </message>
        <message>
            <source>{strategy}: the summary of {who} {fault}.</source>
            <translation>{strategy}: Die Zusammenfassung von {who} {fault}.</translation>
        </message>
        <message>
            <source>is empty</source>
            <translation>ist leer</translation>
        </message>
        <message>
            <source>Of {stay} outputs with more than {most} tokens none could be cut.</source>
            <translation>Von {stay} Ausgaben mit mehr als {most} Token ließ sich keine kürzen.</translation>
        </message>
        <message>
            <source>{what} of more than {most} tokens: beginning and end stay.</source>
            <translation>{what} von mehr als {most} Token: Anfang und Ende bleiben.</translation>
        </message>
        <message>
            <source>No output has more than {most} tokens.</source>
            <translation>Keine Ausgabe hat mehr als {most} Token.</translation>
        </message>
        <message>
            <source>{outputs} outputs</source>
            <translation>{outputs} Ausgaben</translation>
        </message>
        <message>
            <source>Longer than tier 1 allows, but the model has not read it yet.</source>
            <translation>Länger, als Stufe 1 erlaubt, aber das Modell hat sie noch nicht gelesen.</translation>
        </message>
        <message>
            <source>Cut to its ends it would not be shorter.</source>
            <translation>Auf ihre Enden gekürzt wäre sie nicht kürzer.</translation>
        </message>
        <message>
            <source>drop until under {int} tokens</source>
            <translation>verwerfen bis unter {int} Token</translation>
        </message>
        <message>
            <source>In the rest, {span}: under the target of {target} tokens.</source>
            <translation>Im Rest, {span}: unter dem Ziel von {target} Token.</translation>
        </message>
        <message>
            <source>Oldest first until under {target} tokens; {cut} messages in all.</source>
            <translation>Älteste zuerst, bis unter {target} Token; {cut} Nachrichten insgesamt.</translation>
        </message>
        <message>
            <source>Already under the target: {current_token_count} of {int} tokens.</source>
            <translation>Schon unter dem Ziel: {current_token_count} von {int} Token.</translation>
        </message>
        <message>
            <source>Every message that could go belongs to a pair that reaches into the newest messages.</source>
            <translation>Jede Nachricht, die gehen könnte, gehört zu einem Paar, das in die neuesten Nachrichten reicht.</translation>
        </message>
        <message>
            <source>The last request stays, alone in front of the rest.</source>
            <translation>Die letzte Bitte bleibt, allein vor dem Rest.</translation>
        </message>
        <message>
            <source>There is 1 message</source>
            <translation>Es gibt 1 Nachricht</translation>
        </message>
        <message>
            <source>There are {count} messages</source>
            <translation>Es gibt {count} Nachrichten</translation>
        </message>
        <message>
            <source>{there}; {min_kept} always stay.</source>
            <translation>{there}; {min_kept} bleiben immer.</translation>
        </message>
        <message>
            <source>Unanswered calls move the cut back to the first message, so that nothing is left to drop.</source>
            <translation>Unbeantwortete Aufrufe schieben den Schnitt bis zur ersten Nachricht zurück, so dass nichts zu verwerfen bleibt.</translation>
        </message>
        <message>
            <source>last request</source>
            <translation>Letzte Bitte</translation>
        </message>
        <message>
            <source>The target of {wanted} is not below the trigger of {fraction}; {lowered} is used.</source>
            <translation>Das Ziel von {wanted} liegt nicht unter dem Auslöser von {fraction}; benutzt wird {lowered}.</translation>
        </message>
        <message>
            <source>try {tries} failed: {text}; waited {wait} s</source>
            <translation>Versuch {tries} scheiterte: {text}; {wait} s gewartet</translation>
        </message>
        <message>
            <source>text from a file</source>
            <translation>Text aus einer Datei</translation>
        </message>
        <message>
            <source>not written yet</source>
            <translation>noch nicht geschrieben</translation>
        </message>
        <message>
            <source>There is no profile {profile}.</source>
            <translation>Es gibt kein Profil {profile}.</translation>
        </message>
        <message>
            <source>Known profiles: {offline}.</source>
            <translation>Bekannte Profile: {offline}.</translation>
        </message>
        <message>
            <source>the server refused the key (HTTP 401)</source>
            <translation>der Server lehnte den Schlüssel ab (HTTP 401)</translation>
        </message>
        <message>
            <source>no key was given for {provider}</source>
            <translation>für {provider} wurde kein Schlüssel gegeben</translation>
        </message>
        <message>
            <source>the account has no credit left (HTTP {status})</source>
            <translation>das Konto hat kein Guthaben mehr (HTTP {status})</translation>
        </message>
        <message>
            <source>this model may not be used with the key (HTTP 403)</source>
            <translation>dieses Modell darf mit dem Schlüssel nicht benutzt werden (HTTP 403)</translation>
        </message>
        <message>
            <source>there is no such model or address at {where} (HTTP 404)</source>
            <translation>unter {where} gibt es kein solches Modell oder keine solche Adresse (HTTP 404)</translation>
        </message>
        <message>
            <source>the server rejected the request (HTTP {status})</source>
            <translation>der Server wies die Anfrage zurück (HTTP {status})</translation>
        </message>
        <message>
            <source>the server asks for fewer requests (HTTP 429)</source>
            <translation>der Server verlangt weniger Anfragen (HTTP 429)</translation>
        </message>
        <message>
            <source>the server failed (HTTP {status})</source>
            <translation>der Server scheiterte (HTTP {status})</translation>
        </message>
        <message>
            <source>no answer came within {timeout:g} s</source>
            <translation>innerhalb von {timeout:g} s kam keine Antwort</translation>
        </message>
        <message>
            <source>nothing answers at {where}</source>
            <translation>unter {where} antwortet nichts</translation>
        </message>
        <message>
            <source>the host {where} cannot be found</source>
            <translation>der Rechner {where} ist nicht zu finden</translation>
        </message>
        <message>
            <source>the base URL cannot be used</source>
            <translation>die Basis-URL ist nicht benutzbar</translation>
        </message>
        <message>
            <source>the secure connection to {where} failed</source>
            <translation>die sichere Verbindung zu {where} scheiterte</translation>
        </message>
        <message>
            <source>the answer broke off before its end</source>
            <translation>die Antwort brach vor ihrem Ende ab</translation>
        </message>
        <message>
            <source>the answer cannot be read</source>
            <translation>die Antwort ist nicht lesbar</translation>
        </message>
        <message>
            <source>litellm knows no provider {provider!r}</source>
            <translation>litellm kennt keinen Anbieter {provider!r}</translation>
        </message>
        <message>
            <source>the request does not fit the model's window</source>
            <translation>die Anfrage passt nicht in das Fenster des Modells</translation>
        </message>
        <message>
            <source>the call failed ({error})</source>
            <translation>der Aufruf scheiterte ({error})</translation>
        </message>
        <message>
            <source>Check the key that the profile names.</source>
            <translation>Den Schlüssel prüfen, den das Profil nennt.</translation>
        </message>
        <message>
            <source>Name the variable or keyring entry that holds the key in the profile.</source>
            <translation>Im Profil die Variable oder den Schlüsselbund-Eintrag nennen, der den Schlüssel enthält.</translation>
        </message>
        <message>
            <source>Choose another model in the profile.</source>
            <translation>Im Profil ein anderes Modell wählen.</translation>
        </message>
        <message>
            <source>Check model and base URL of the profile; most base URLs end in /v1.</source>
            <translation>Modell und Basis-URL des Profils prüfen; die meisten Basis-URLs enden auf /v1.</translation>
        </message>
        <message>
            <source>Check that the server runs and the base URL of the profile is right.</source>
            <translation>Prüfen, ob der Server läuft und die Basis-URL des Profils stimmt.</translation>
        </message>
        <message>
            <source>Check the base URL of the profile and the network.</source>
            <translation>Die Basis-URL des Profils und das Netz prüfen.</translation>
        </message>
        <message>
            <source>Try again, or raise the timeout of the profile.</source>
            <translation>Noch einmal versuchen oder die Wartezeit des Profils erhöhen.</translation>
        </message>
        <message>
            <source>Check the provider of the profile.</source>
            <translation>Den Anbieter des Profils prüfen.</translation>
        </message>
        <message>
            <source>Choose a model with a larger window.</source>
            <translation>Ein Modell mit größerem Fenster wählen.</translation>
        </message>
        <message>
            <source>Check that the base URL of the profile leads to a model server.</source>
            <translation>Prüfen, ob die Basis-URL des Profils zu einem Modellserver führt.</translation>
        </message>
        <message>
            <source>The history is as it was. {get}</source>
            <translation>Der Verlauf ist, wie er war. {get}</translation>
        </message>
        <message>
            <source>1 try</source>
            <translation>1 Versuch</translation>
        </message>
        <message>
            <source>{tries} tries</source>
            <translation>{tries} Versuche</translation>
        </message>
        <message>
            <source>the request did not fit: the {place} oldest {noun} as an offline digest</source>
            <translation>die Anfrage passte nicht: die {place} ältesten {noun} als Offline-Auszug</translation>
        </message>
        <message>
            <source>result stands</source>
            <translation>Ergebnis steht</translation>
        </message>
        <message>
            <source>results stand</source>
            <translation>Ergebnisse stehen</translation>
        </message>
        <message>
            <source>message stands</source>
            <translation>Nachricht steht</translation>
        </message>
        <message>
            <source>messages stand</source>
            <translation>Nachrichten stehen</translation>
        </message>
        <message>
            <source>the request did not fit: the {taken} largest tool {noun} as placeholders</source>
            <translation>die Anfrage passte nicht: die {taken} größten Tool-{noun} als Platzhalter</translation>
        </message>
        <message>
            <source>set by {compaction_model}</source>
            <translation>mit {compaction_model} gesetzt</translation>
        </message>
        <message>
            <source>the model of the profile that {profile} names</source>
            <translation>das Modell des Profils, das {profile} nennt</translation>
        </message>
        <message>
            <source>the profile's own; no cheaper one is known for it</source>
            <translation>das eigene des Profils; ein günstigeres ist nicht bekannt</translation>
        </message>
        <message>
            <source>the cheapest route of OpenRouter</source>
            <translation>der günstigste Weg von OpenRouter</translation>
        </message>
        <message>
            <source>the cheap model that {provider} is known for</source>
            <translation>das günstige Modell, für das {provider} bekannt ist</translation>
        </message>
        <message>
            <source>the cheapest chat model of {provider} whose window fits</source>
            <translation>das günstigste Chat-Modell von {provider}, dessen Fenster passt</translation>
        </message>
        <message>
            <source>{strategy}: the summary of {who} ended too early (finish reason: length).</source>
            <translation>{strategy}: Die Zusammenfassung von {who} endete zu früh (finish reason: length).</translation>
        </message>
        <message>
            <source>{strategy}: {who} refused to write the summary.</source>
            <translation>{strategy}: {who} weigerte sich, die Zusammenfassung zu schreiben.</translation>
        </message>
        <message>
            <source>{strategy}: {who} wrote an empty summary.</source>
            <translation>{strategy}: {who} schrieb eine leere Zusammenfassung.</translation>
        </message>
        <message>
            <source>{who} refused to go on.</source>
            <translation>{who} weigerte sich weiterzumachen.</translation>
        </message>
        <message>
            <source>{who} was cut off (finish reason: length).</source>
            <translation>{who} wurde abgeschnitten (finish reason: length).</translation>
        </message>
        <message>
            <source>summary check</source>
            <translation>Prüfung der Zusammenfassung</translation>
        </message>
        <message>
            <source>summary links</source>
            <translation>Verweise der Zusammenfassung</translation>
        </message>
        <message>
            <source>both are pipes</source>
            <translation>beide sind Pipes</translation>
        </message>
        <message>
            <source>it is a pipe</source>
            <translation>es ist eine Pipe</translation>
        </message>
        <message>
            <source>signal {value}</source>
            <translation>Signal {value}</translation>
        </message>
        <message>
            <source>exit code {code}</source>
            <translation>Exit-Code {code}</translation>
        </message>
        <message>
            <source>The process that counts tokens ended unexpectedly, twice ({how}).</source>
            <translation>Der Prozess, der Token zählt, endete zweimal unerwartet ({how}).</translation>
        </message>
        <message>
            <source>checksum of a file</source>
            <translation>Prüfsumme einer Datei</translation>
        </message>
        <message>
            <source>only a tally counts meanwhile</source>
            <translation>inzwischen zählt nur der Zählprozess</translation>
        </message>
        <message>
            <source>estimate of 4 characters per token</source>
            <translation>Schätzung mit 4 Zeichen je Token</translation>
        </message>
        <message>
            <source>{default} estimate</source>
            <translation>Schätzung mit {default}</translation>
        </message>
        <message>
            <source>{path} is broken and has been set aside too often.</source>
            <translation>{path} ist kaputt und wurde zu oft beiseitegelegt.</translation>
        </message>
        <message>
            <source>Delete the older copies.</source>
            <translation>Die älteren Kopien löschen.</translation>
        </message>
        <message>
            <source>{path} cannot be changed without loss; nothing was written.</source>
            <translation>{path} lässt sich nicht ohne Verlust ändern; nichts wurde geschrieben.</translation>
        </message>
        <message>
            <source>Edit it by hand.</source>
            <translation>Von Hand bearbeiten.</translation>
        </message>
        <message>
            <source>it holds a number that is too long</source>
            <translation>sie enthält eine Zahl, die zu lang ist</translation>
        </message>
        <message>
            <source>{path}, line {line}: {cause}.</source>
            <translation>{path}, Zeile {line}: {cause}.</translation>
        </message>
        <message>
            <source>Mend the line or delete the file.</source>
            <translation>Die Zeile berichtigen oder die Datei löschen.</translation>
        </message>
        <message>
            <source>{path} is longer than {longest} bytes.</source>
            <translation>{path} ist länger als {longest} Byte.</translation>
        </message>
        <message>
            <source>Mend it or delete it.</source>
            <translation>Berichtigen oder löschen.</translation>
        </message>
        <message>
            <source>its values are nested too deep</source>
            <translation>ihre Werte sind zu tief verschachtelt</translation>
        </message>
        <message>
            <source>{path} cannot be read: it is no file.</source>
            <translation>{path} ist nicht lesbar: Es ist keine Datei.</translation>
        </message>
        <message>
            <source>Remove what is in its place.</source>
            <translation>Entfernen, was an ihrer Stelle liegt.</translation>
        </message>
        <message>
            <source>{path} cannot be read: {cause}.</source>
            <translation>{path} ist nicht lesbar: {cause}.</translation>
        </message>
        <message>
            <source>it is not UTF-8</source>
            <translation>sie ist kein UTF-8</translation>
        </message>
        <message>
            <source>Another program has been writing in {folder} for {wait} seconds.</source>
            <translation>Ein anderes Programm schreibt seit {wait} Sekunden in {folder}.</translation>
        </message>
        <message>
            <source>{path} cannot be written: {cause}.</source>
            <translation>{path} ist nicht beschreibbar: {cause}.</translation>
        </message>
        <message>
            <source>{path} cannot hold a character that is not Unicode.</source>
            <translation>{path} kann ein Zeichen nicht enthalten, das kein Unicode ist.</translation>
        </message>
        <message>
            <source>Type it anew.</source>
            <translation>Neu tippen.</translation>
        </message>
        <message>
            <source>soft hyphen</source>
            <translation>weicher Trennstrich</translation>
        </message>
        <message>
            <source>Arabic letter mark</source>
            <translation>arabische Buchstabenmarke</translation>
        </message>
        <message>
            <source>vowel separator</source>
            <translation>Vokaltrenner</translation>
        </message>
        <message>
            <source>zero-width space</source>
            <translation>Leerzeichen ohne Breite</translation>
        </message>
        <message>
            <source>zero-width non-joiner</source>
            <translation>Bindehemmer ohne Breite</translation>
        </message>
        <message>
            <source>zero-width joiner</source>
            <translation>Verbinder ohne Breite</translation>
        </message>
        <message>
            <source>left-to-right mark</source>
            <translation>Marke für links nach rechts</translation>
        </message>
        <message>
            <source>right-to-left mark</source>
            <translation>Marke für rechts nach links</translation>
        </message>
        <message>
            <source>line separator</source>
            <translation>Zeilentrenner</translation>
        </message>
        <message>
            <source>paragraph separator</source>
            <translation>Absatztrenner</translation>
        </message>
        <message>
            <source>left-to-right embedding</source>
            <translation>Einbettung von links nach rechts</translation>
        </message>
        <message>
            <source>right-to-left embedding</source>
            <translation>Einbettung von rechts nach links</translation>
        </message>
        <message>
            <source>pop directional formatting</source>
            <translation>Ende der Schreibrichtung</translation>
        </message>
        <message>
            <source>left-to-right override</source>
            <translation>erzwungen von links nach rechts</translation>
        </message>
        <message>
            <source>right-to-left override</source>
            <translation>erzwungen von rechts nach links</translation>
        </message>
        <message>
            <source>word joiner</source>
            <translation>Wortverbinder</translation>
        </message>
        <message>
            <source>left-to-right isolate</source>
            <translation>Insel von links nach rechts</translation>
        </message>
        <message>
            <source>right-to-left isolate</source>
            <translation>Insel von rechts nach links</translation>
        </message>
        <message>
            <source>first strong isolate</source>
            <translation>Insel nach dem ersten Zeichen</translation>
        </message>
        <message>
            <source>pop directional isolate</source>
            <translation>Ende der Insel</translation>
        </message>
        <message>
            <source>byte order mark</source>
            <translation>Marke der Bytefolge</translation>
        </message>
        <message>
            <source>half of a character</source>
            <translation>halbes Zeichen</translation>
        </message>
        <message>
            <source>control character</source>
            <translation>Steuerzeichen</translation>
        </message>
        <message>
            <source>written by the harness</source>
            <translation>vom Rahmenprogramm geschrieben</translation>
        </message>
        <message>
            <source>error of the provider</source>
            <translation>Fehler des Anbieters</translation>
        </message>
        <message>
            <source>recorded summary</source>
            <translation>aufgezeichnete Zusammenfassung</translation>
        </message>
        <message>
            <source>holds unreadable content</source>
            <translation>enthält Unlesbares</translation>
        </message>
        <message>
            <source>and {plural}</source>
            <translation>und {plural}</translation>
        </message>
        <message>
            <source>There is no message #{value} on this side.</source>
            <translation>Auf dieser Seite gibt es keine Nachricht #{value}.</translation>
        </message>
        <message>
            <source>It holds {messages}.</source>
            <translation>Sie enthält {messages}.</translation>
        </message>
        <message>
            <source>JSON nested too deep to show</source>
            <translation>JSON, zu tief verschachtelt zum Zeigen</translation>
        </message>
        <message>
            <source>written by this compaction</source>
            <translation>von dieser Verdichtung geschrieben</translation>
        </message>
        <message>
            <source>not in the file</source>
            <translation>nicht in der Datei</translation>
        </message>
        <message>
            <source>After {plural}</source>
            <translation>Nach {plural}</translation>
        </message>
        <message>
            <source>{tokens} tokens in {plural}</source>
            <translation>{tokens} Token in {plural}</translation>
        </message>
        <message>
            <source>Each compacts the result of the last, with nothing said in between; summaries are offline.</source>
            <translation>Jede verdichtet das Ergebnis der letzten, ohne dass dazwischen etwas gesagt wird; Zusammenfassungen sind offline.</translation>
        </message>
        <message>
            <source>{plural} dropped.</source>
            <translation>{plural} fallen gelassen.</translation>
        </message>
        <message>
            <source>{count} of them have no link here.</source>
            <translation>{count} davon haben hier keinen Verweis.</translation>
        </message>
        <message>
            <source>Only {name} was opened. {more}</source>
            <translation>Nur {name} wurde geöffnet. {more}</translation>
        </message>
        <message>
            <source>Compare the two</source>
            <translation>Die beiden vergleichen</translation>
        </message>
        <message>
            <source>in part</source>
            <translation>zum Teil</translation>
        </message>
        <message>
            <source>Write as in: tool:bash or tool:read*.</source>
            <translation>Schreiben wie: tool:bash oder tool:read*.</translation>
        </message>
        <message>
            <source>Write as in: note:any or note:"ask again".</source>
            <translation>Schreiben wie: note:any oder note:"noch einmal".</translation>
        </message>
        <message>
            <source>Keys: {join}, tokens. Text with a colon goes in quotes.</source>
            <translation>Schlüssel: {join}, tokens. Text mit Doppelpunkt gehört in Anführungszeichen.</translation>
        </message>
        <message>
            <source>Values: {join}.</source>
            <translation>Werte: {join}.</translation>
        </message>
        <message>
            <source>Character {value}: {what}.</source>
            <translation>Zeichen {value}: {what}.</translation>
        </message>
        <message>
            <source>{or} needs a condition behind it</source>
            <translation>{or} braucht eine Bedingung dahinter</translation>
        </message>
        <message>
            <source>Write as in: error OR "refused".</source>
            <translation>Schreiben wie: error OR "refused".</translation>
        </message>
        <message>
            <source>only {tokens} can be compared, not {other}</source>
            <translation>nur {tokens} lässt sich vergleichen, nicht {other}</translation>
        </message>
        <message>
            <source>Text with a &lt; or &gt; goes in quotes.</source>
            <translation>Text mit &lt; oder &gt; gehört in Anführungszeichen.</translation>
        </message>
        <message>
            <source>the quote is not closed</source>
            <translation>das Anführungszeichen ist nicht geschlossen</translation>
        </message>
        <message>
            <source>Put a " behind the text.</source>
            <translation>Ein " hinter den Text setzen.</translation>
        </message>
        <message>
            <source>the quotes hold no text</source>
            <translation>zwischen den Anführungszeichen steht kein Text</translation>
        </message>
        <message>
            <source>Write what to look for between them.</source>
            <translation>Dazwischen schreiben, was gesucht wird.</translation>
        </message>
        <message>
            <source>a message is named by a number</source>
            <translation>eine Nachricht wird mit einer Zahl genannt</translation>
        </message>
        <message>
            <source>Write as in: #12, #12-40 or #12-.</source>
            <translation>Schreiben wie: #12, #12-40 oder #12-.</translation>
        </message>
        <message>
            <source>{found} holds no message</source>
            <translation>{found} enthält keine Nachricht</translation>
        </message>
        <message>
            <source>Numbers begin with 1 and grow.</source>
            <translation>Zahlen beginnen bei 1 und wachsen.</translation>
        </message>
        <message>
            <source>{tokens}{sign} needs a number</source>
            <translation>{tokens}{sign} braucht eine Zahl</translation>
        </message>
        <message>
            <source>Write as in: tokens&gt;2000 or tokens&lt;=2k.</source>
            <translation>Schreiben wie: tokens&gt;2000 oder tokens&lt;=2k.</translation>
        </message>
        <message>
            <source>; {nearest} is one</source>
            <translation>; {nearest} gibt es</translation>
        </message>
        <message>
            <source>there is no key {found}{near}</source>
            <translation>es gibt keinen Schlüssel {found}{near}</translation>
        </message>
        <message>
            <source>there is no {key} {value}</source>
            <translation>es gibt kein {key} {value}</translation>
        </message>
        <message>
            <source>{key}: needs a value</source>
            <translation>{key}: braucht einen Wert</translation>
        </message>
        <message>
            <source>{or} needs a condition before it</source>
            <translation>{or} braucht eine Bedingung davor</translation>
        </message>
        <message>
            <source>Looking for “{value}”: message {start} of {total}</source>
            <translation>„{value}“ wird gesucht: Nachricht {start} von {total}</translation>
        </message>
        <message>
            <source>{fault} Here: {lower}{rstrip} (fix {id}).</source>
            <translation>{fault} Hier: {lower}{rstrip} (Fix {id}).</translation>
        </message>
        <message>
            <source>Fix {id}.</source>
            <translation>Fix {id}.</translation>
        </message>
        <message>
            <source>{plural} compared</source>
            <translation>{plural} verglichen</translation>
        </message>
        <message>
            <source>{plural} to compare, on all cores. Nothing is sent.</source>
            <translation>{plural} zu vergleichen, auf allen Kernen. Nichts wird gesendet.</translation>
        </message>
        <message>
            <source>{left} % of the tokens left, fidelity {score}</source>
            <translation>{left} % der Token übrig, Treue {score}</translation>
        </message>
        <message>
            <source>in {name} · {compared} · nothing is sent</source>
            <translation>in {name} · {compared} · nichts wird gesendet</translation>
        </message>
        <message>
            <source>{done} of {plural} done{took}</source>
            <translation>{done} von {plural} fertig{took}</translation>
        </message>
        <message>
            <source>in {seconds}</source>
            <translation>in {seconds}</translation>
        </message>
        <message>
            <source>{known} of {plural} were done before with these settings.</source>
            <translation>{known} von {plural} waren mit diesen Einstellungen schon fertig.</translation>
        </message>
        <message>
            <source>{done} of {plural} are done and kept.</source>
            <translation>{done} von {plural} sind fertig und behalten.</translation>
        </message>
        <message>
            <source>{value} more files are no transcripts or could not be compared.</source>
            <translation>{value} weitere Dateien sind keine Transkripte oder ließen sich nicht vergleichen.</translation>
        </message>
        <message>
            <source>What the agents themselves made of it.</source>
            <translation>Was die Agenten selbst daraus machten.</translation>
        </message>
        <message>
            <source>{value} calls</source>
            <translation>{value} Aufrufe</translation>
        </message>
        <message>
            <source>share of tokens left (fewer is better)</source>
            <translation>Anteil der übrigen Token (weniger ist besser)</translation>
        </message>
        <message>
            <source>Before it was compacted</source>
            <translation>Bevor verdichtet wurde</translation>
        </message>
        <message>
            <source>The file holds them as they were; one comes back with:</source>
            <translation>Die Datei enthält sie, wie sie waren; eine kommt zurück mit:</translation>
        </message>
        <message>
            <source>Stands for</source>
            <translation>Steht für</translation>
        </message>
        <message>
            <source>{word} {named} of the session before it, {fates}.</source>
            <translation>{word} {named} der Sitzung davor, {fates}.</translation>
        </message>
        <message>
            <source>Beside it stood {named}, {fates}.</source>
            <translation>Daneben stand {named}, {fates}.</translation>
        </message>
        <message>
            <source>The cut</source>
            <translation>Der Schnitt</translation>
        </message>
        <message>
            <source>{value} ms</source>
            <translation>{value} ms</translation>
        </message>
        <message>
            <source>{plural} of {of_all} could not be read</source>
            <translation>{plural} von {of_all} nicht lesbar</translation>
        </message>
        <message>
            <source>and {left} (lines {places}{more}).</source>
            <translation>und {left} (Zeilen {places}{more}).</translation>
        </message>
        <message>
            <source>and {left} (line {places}{more}).</source>
            <translation>und {left} (Zeile {places}{more}).</translation>
        </message>
        <message>
            <source>was left out</source>
            <translation>wurde weggelassen</translation>
        </message>
        <message>
            <source>were left out</source>
            <translation>wurden weggelassen</translation>
        </message>
        <message>
            <source>{warnings} things were noticed while reading:</source>
            <translation>{warnings} Dinge fielen beim Lesen auf:</translation>
        </message>
        <message>
            <source>line {line}: {text}</source>
            <translation>Zeile {line}: {text}</translation>
        </message>
        <message>
            <source>One thing was noticed while reading:</source>
            <translation>Eines fiel beim Lesen auf:</translation>
        </message>
        <message>
            <source>Skipped records:</source>
            <translation>Übersprungene Datensätze:</translation>
        </message>
        <message>
            <source>{sent} for a million tokens of input, {written} for a million of output.</source>
            <translation>{sent} für eine Million Token Eingabe, {written} für eine Million Ausgabe.</translation>
        </message>
        <message>
            <source>no model</source>
            <translation>kein Modell</translation>
        </message>
        <message>
            <source>The model table has no price of {label}.</source>
            <translation>Die Modelltabelle hat keinen Preis für {label}.</translation>
        </message>
        <message>
            <source>each session's model</source>
            <translation>das Modell jeder Sitzung</translation>
        </message>
        <message>
            <source>The model that is named in the file.</source>
            <translation>Das Modell, das in der Datei genannt ist.</translation>
        </message>
        <message>
            <source>all summaries offline</source>
            <translation>alle Zusammenfassungen offline</translation>
        </message>
        <message>
            <source>all summaries offline, priced as {short_model}</source>
            <translation>alle Zusammenfassungen offline, zum Preis von {short_model}</translation>
        </message>
        <message>
            <source>Offline summaries cost nothing.</source>
            <translation>Zusammenfassungen offline kosten nichts.</translation>
        </message>
        <message>
            <source>{came} of {total} answered</source>
            <translation>{came} von {total} beantwortet</translation>
        </message>
        <message>
            <source>, then cancelled</source>
            <translation>, dann abgebrochen</translation>
        </message>
        <message>
            <source>, cost not known.</source>
            <translation>, Kosten nicht bekannt.</translation>
        </message>
        <message>
            <source>{signed} ({interval}) beside the uncompacted history.</source>
            <translation>{signed} ({interval}) neben dem unverdichteten Verlauf.</translation>
        </message>
        <message>
            <source>{n} of {asked}</source>
            <translation>{n} von {asked}</translation>
        </message>
        <message>
            <source>, stopped after {most_failures} failures in a row</source>
            <translation>, nach {most_failures} Fehlschlägen hintereinander angehalten</translation>
        </message>
        <message>
            <source>The parameters cannot be read: {error}.</source>
            <translation>Die Parameter sind nicht lesbar: {error}.</translation>
        </message>
        <message>
            <source>Write one key = value a line, texts in quotes.</source>
            <translation>Je Zeile ein Schlüssel = Wert, Texte in Anführungszeichen.</translation>
        </message>
        <message>
            <source>{place} · installed</source>
            <translation>{place} · installiert</translation>
        </message>
        <message>
            <source>{place} · edited</source>
            <translation>{place} · bearbeitet</translation>
        </message>
        <message>
            <source>{name} asks no model.</source>
            <translation>{name} fragt kein Modell.</translation>
        </message>
        <message>
            <source>{number} of {sent}</source>
            <translation>{number} von {sent}</translation>
        </message>
        <message>
            <source>{again} of {plural} read again</source>
            <translation>{again} von {plural} noch einmal gelesen</translation>
        </message>
        <message>
            <source>{replace}, not inspectable</source>
            <translation>{replace}, nicht einsehbar</translation>
        </message>
        <message>
            <source>grew by {short}</source>
            <translation>wuchs um {short}</translation>
        </message>
        <message>
            <source>saved nothing</source>
            <translation>sparte nichts</translation>
        </message>
        <message>
            <source>Reported figures hold system prompt and tools, too; ours are of the messages alone.</source>
            <translation>Angegebene Zahlen enthalten auch System-Prompt und Tools; unsere sind nur die der Nachrichten.</translation>
        </message>
        <message>
            <source>not reported</source>
            <translation>nicht angegeben</translation>
        </message>
        <message>
            <source>not in this file</source>
            <translation>nicht in dieser Datei</translation>
        </message>
        <message>
            <source>Before {message} of the session the agent compacted its context</source>
            <translation>Vor {message} der Sitzung verdichtete der Agent seinen Kontext</translation>
        </message>
        <message>
            <source>{plural} became {count}</source>
            <translation>aus {plural} wurden {count}</translation>
        </message>
        <message>
            <source>{where}: {became}; the context is {tokens} tokens smaller.</source>
            <translation>{where}: {became}; der Kontext ist {tokens} Token kleiner.</translation>
        </message>
        <message>
            <source>{plural} kept</source>
            <translation>{plural} behalten</translation>
        </message>
        <message>
            <source>{again} of {reads} ({share}) read a file again that had been read before it.</source>
            <translation>{reads}, davon {again} ({share}) noch einmal, was davor schon gelesen war.</translation>
        </message>
        <message>
            <source>Recorded {number} of {recorded}</source>
            <translation>Aufgezeichnet {number} von {recorded}</translation>
        </message>
        <message>
            <source>{where}: {left} stayed or were written; what it removed is not in this file.</source>
            <translation>{where}: {left} blieben oder wurden geschrieben; was sie entfernte, ist nicht in dieser Datei.</translation>
        </message>
        <message>
            <source>{plural} cleared in place</source>
            <translation>{plural} an Ort und Stelle geleert</translation>
        </message>
        <message>
            <source>{where}: {became}, but the context {by}.</source>
            <translation>{where}: {became}, aber der Kontext {by}.</translation>
        </message>
        <message>
            <source>the context before it</source>
            <translation>den Kontext davor</translation>
        </message>
        <message>
            <source>what it left</source>
            <translation>was sie übrig ließ</translation>
        </message>
        <message>
            <source>both side by side</source>
            <translation>beides nebeneinander</translation>
        </message>
        <message>
            <source>In the lists</source>
            <translation>In den Listen</translation>
        </message>
        <message>
            <source>Show {before}, {left} or {beside}.</source>
            <translation>{before}, {left} oder {beside} zeigen.</translation>
        </message>
        <message>
            <source>In the whole session: {parts}{more}.</source>
            <translation>In der ganzen Sitzung: {parts}{more}.</translation>
        </message>
        <message>
            <source>No file was read between it and the next recorded compaction or the end.</source>
            <translation>Zwischen ihr und der nächsten aufgezeichneten Verdichtung oder dem Ende wurde keine Datei gelesen.</translation>
        </message>
        <message>
            <source>There is no recorded compaction {number}.</source>
            <translation>Es gibt keine aufgezeichnete Verdichtung {number}.</translation>
        </message>
        <message>
            <source>There are {recorded}.</source>
            <translation>Es gibt {recorded}.</translation>
        </message>
        <message>
            <source>grew by {plural}</source>
            <translation>wuchs um {plural}</translation>
        </message>
        <message>
            <source>is as large as before</source>
            <translation>ist so groß wie davor</translation>
        </message>
        <message>
            <source>before, reported</source>
            <translation>vorher, angegeben</translation>
        </message>
        <message>
            <source>left, reported</source>
            <translation>übrig, angegeben</translation>
        </message>
        <message>
            <source>before, by our count</source>
            <translation>vorher, nach unserer Zählung</translation>
        </message>
        <message>
            <source>left, by our count</source>
            <translation>übrig, nach unserer Zählung</translation>
        </message>
        <message>
            <source>messages before</source>
            <translation>Nachrichten vorher</translation>
        </message>
        <message>
            <source>messages left</source>
            <translation>Nachrichten übrig</translation>
        </message>
        <message>
            <source>What it wrote</source>
            <translation>Was sie schrieb</translation>
        </message>
        <message>
            <source>It is {hidden_text}.</source>
            <translation>Es ist {hidden_text}.</translation>
        </message>
        <message>
            <source>Its summary</source>
            <translation>Ihre Zusammenfassung</translation>
        </message>
        <message>
            <source>results cleared in place</source>
            <translation>an Ort und Stelle geleerte Ergebnisse</translation>
        </message>
        <message>
            <source>{calls} calls:</source>
            <translation>{calls} Aufrufe:</translation>
        </message>
        <message>
            <source>{lines} results: {join}</source>
            <translation>{lines} Ergebnisse: {join}</translation>
        </message>
        <message>
            <source>thinking: {flat}</source>
            <translation>Denken: {flat}</translation>
        </message>
        <message>
            <source>ai, call</source>
            <translation>ai, Aufruf</translation>
        </message>
        <message>
            <source>the target of {count} tokens</source>
            <translation>das Ziel von {count} Token</translation>
        </message>
        <message>
            <source>{became}; {target} is missed by {count}.</source>
            <translation>{became}; {target} ist um {count} verfehlt.</translation>
        </message>
        <message>
            <source>{became}; {target} is met.</source>
            <translation>{became}; {target} ist erreicht.</translation>
        </message>
        <message>
            <source>{tokens} tokens after it · {note}</source>
            <translation>{tokens} Token danach · {note}</translation>
        </message>
        <message>
            <source>{tokens} tokens after it</source>
            <translation>{tokens} Token danach</translation>
        </message>
        <message>
            <source>Tier {number}, {name}: {done}</source>
            <translation>Stufe {number}, {name}: {done}</translation>
        </message>
        <message>
            <source>{parts} and {count} more.</source>
            <translation>{parts} und {count} weitere.</translation>
        </message>
        <message>
            <source>{plural} in {rounds} by {model}.</source>
            <translation>{plural} in {rounds} von {model}.</translation>
        </message>
        <message>
            <source>{plural} changed</source>
            <translation>{plural} geändert</translation>
        </message>
        <message>
            <source>nothing changed</source>
            <translation>nichts geändert</translation>
        </message>
        <message>
            <source>Tier {number}: {name}</source>
            <translation>Stufe {number}: {name}</translation>
        </message>
        <message>
            <source>It changed no message.</source>
            <translation>Sie änderte keine Nachricht.</translation>
        </message>
        <message>
            <source>What the agent did</source>
            <translation>Was der Agent tat</translation>
        </message>
        <message>
            <source>Round {number}</source>
            <translation>Runde {number}</translation>
        </message>
        <message>
            <source>refused: {effect}</source>
            <translation>abgelehnt: {effect}</translation>
        </message>
        <message>
            <source>tokens after it</source>
            <translation>Token danach</translation>
        </message>
        <message>
            <source>further calls</source>
            <translation>weitere Aufrufe</translation>
        </message>
        <message>
            <source>{tokens} tokens in the source</source>
            <translation>{tokens} Token in der Quelle</translation>
        </message>
        <message>
            <source>share that is left</source>
            <translation>übriger Anteil</translation>
        </message>
        <message>
            <source>tool results compressed</source>
            <translation>verdichtete Tool-Ergebnisse</translation>
        </message>
        <message>
            <source>human compressed</source>
            <translation>verdichtete von human</translation>
        </message>
        <message>
            <source>ai compressed</source>
            <translation>verdichtete von ai</translation>
        </message>
        <message>
            <source>display-only deleted</source>
            <translation>gelöschte Anzeigen</translation>
        </message>
        <message>
            <source>messages protected</source>
            <translation>geschützte Nachrichten</translation>
        </message>
        <message>
            <source>{plural} looked at</source>
            <translation>{plural} angesehen</translation>
        </message>
        <message>
            <source>{where} · larger than {size}: counted when it is opened</source>
            <translation>{where} · größer als {size}: wird beim Öffnen gezählt</translation>
        </message>
        <message>
            <source>{count} unreadable</source>
            <translation>{count} nicht lesbar</translation>
        </message>
        <message>
            <source>/set {key} {text} · --set {key2}={quoted}</source>
            <translation>/set {key} {text} · --set {key2}={quoted}</translation>
        </message>
        <message>
            <source>Summary check</source>
            <translation>Prüfung der Zusammenfassung</translation>
        </message>
        <message>
            <source>Where its sentences come from</source>
            <translation>Woher ihre Sätze kommen</translation>
        </message>
        <message>
            <source>result {message}</source>
            <translation>Ergebnis {message}</translation>
        </message>
        <message>
            <source>{said} Its number shows a sentence in the text.</source>
            <translation>{said} Die Nummer zeigt einen Satz im Text.</translation>
        </message>
        <message>
            <source>The summary was checked: {found}.</source>
            <translation>Die Zusammenfassung wurde geprüft: {found}.</translation>
        </message>
        <message>
            <source>{count} of {plural} have a source</source>
            <translation>{count} von {plural} haben eine Quelle</translation>
        </message>
        <message>
            <source>{text}; {plural} in no source.</source>
            <translation>{text}; {plural} in keiner Quelle.</translation>
        </message>
        <message>
            <source>· invented: {listed}</source>
            <translation>· erfunden: {listed}</translation>
        </message>
        <message>
            <source>no text of that number</source>
            <translation>kein Text dieser Nummer</translation>
        </message>
        <message>
            <source>An agent looks at its size {value}.</source>
            <translation>Ein Agent prüft seine Größe {value}.</translation>
        </message>
        <message>
            <source>after a pause of {count} min</source>
            <translation>nach einer Pause von {count} min</translation>
        </message>
        <message>
            <source>{share} of limit</source>
            <translation>{share} des Limits</translation>
        </message>
        <message>
            <source>In the source it is {link}.</source>
            <translation>In der Quelle ist es {link}.</translation>
        </message>
        <message>
            <source>Stands for {link}{until}: {plural}, {tokens} tokens.</source>
            <translation>Steht für {link}{until}: {plural}, {tokens} Token.</translation>
        </message>
        <message>
            <source>Answers the summary, so that the speakers go on by turns; names the first open task, if any.</source>
            <translation>Antwortet auf die Zusammenfassung, damit die Sprecher abwechseln; nennt die erste offene Aufgabe, wenn es eine gibt.</translation>
        </message>
        <message>
            <source>{text} The summary is {link}.</source>
            <translation>{text} Die Zusammenfassung ist {link}.</translation>
        </message>
        <message>
            <source>Call and response stay on one side: with {named}{more}.</source>
            <translation>Aufruf und Antwort bleiben auf einer Seite: mit {named}{more}.</translation>
        </message>
        <message>
            <source>Reference ({reference})</source>
            <translation>Referenz ({reference})</translation>
        </message>
        <message>
            <source>{link} and {link2}</source>
            <translation>{link} und {link2}</translation>
        </message>
        <message>
            <source>no content</source>
            <translation>kein Inhalt</translation>
        </message>
        <message>
            <source>It is</source>
            <translation>Es ist</translation>
        </message>
        <message>
            <source>In the result</source>
            <translation>Im Ergebnis</translation>
        </message>
        <message>
            <source>See also</source>
            <translation>Siehe auch</translation>
        </message>
        <message>
            <source>Open the sub-agent's conversation{name}</source>
            <translation>Das Gespräch des Unteragenten öffnen{name}</translation>
        </message>
        <message>
            <source>It is not in the result. {back}</source>
            <translation>Sie steht nicht im Ergebnis. {back}</translation>
        </message>
        <message>
            <source>The summary in</source>
            <translation>Die Zusammenfassung in</translation>
        </message>
        <message>
            <source>stands for it</source>
            <translation>steht dafür</translation>
        </message>
        <message>
            <source>, {count} tokens became {count2}</source>
            <translation>, aus {count} Token wurden {count2}</translation>
        </message>
        <message>
            <source>not yet written; its size is the budget</source>
            <translation>noch nicht geschrieben; ihre Größe ist das Budget</translation>
        </message>
        <message>
            <source>Call and result go together</source>
            <translation>Aufruf und Ergebnis gehen zusammen</translation>
        </message>
        <message>
            <source>Because of {link}</source>
            <translation>Wegen {link}</translation>
        </message>
        <message>
            <source>Let it go again</source>
            <translation>Wieder gehen lassen</translation>
        </message>
        <message>
            <source>form one pair</source>
            <translation>bilden ein Paar</translation>
        </message>
        <message>
            <source>{title} lies before {message}</source>
            <translation>{title} liegt vor {message}</translation>
        </message>
        <message>
            <source>{plural} stays word for word</source>
            <translation>{plural} bleibt wörtlich</translation>
        </message>
        <message>
            <source>{plural} stay word for word</source>
            <translation>{plural} bleiben wörtlich</translation>
        </message>
        <message>
            <source>{stay}; {count} more than asked for.</source>
            <translation>{stay}; {count} mehr als verlangt.</translation>
        </message>
        <message>
            <source>{stay}; {count} fewer than asked for.</source>
            <translation>{stay}; {count} weniger als verlangt.</translation>
        </message>
        <message>
            <source>middle {middle} ≥ {least} messages</source>
            <translation>Mitte {middle} ≥ {least} Nachrichten</translation>
        </message>
        <message>
            <source>before the cut {middle} ≥ {least} messages</source>
            <translation>vor dem Schnitt {middle} ≥ {least} Nachrichten</translation>
        </message>
        <message>
            <source>{name} cuts before #{value} and orphans {orphans}.</source>
            <translation>{name} schneidet vor #{value} und verwaist {orphans}.</translation>
        </message>
        <message>
            <source>{name} cuts before #{value}.</source>
            <translation>{name} schneidet vor #{value}.</translation>
        </message>
        <message>
            <source>{cuts} Safe mode cuts {there}.</source>
            <translation>{cuts} Der sichere Modus schneidet {there}.</translation>
        </message>
        <message>
            <source>the results of {listed}</source>
            <translation>die Ergebnisse von {listed}</translation>
        </message>
        <message>
            <source>the result of {listed}</source>
            <translation>das Ergebnis von {listed}</translation>
        </message>
        <message>
            <source>There is no cut {name} now.</source>
            <translation>Es gibt jetzt keinen Schnitt {name}.</translation>
        </message>
        <message>
            <source>{name} made no such cut.</source>
            <translation>{name} machte keinen solchen Schnitt.</translation>
        </message>
        <message>
            <source>Cut {value}</source>
            <translation>Schnitt {value}</translation>
        </message>
        <message>
            <source>{title} lies behind the last message</source>
            <translation>{title} liegt hinter der letzten Nachricht</translation>
        </message>
        <message>
            <source>{stay}, as asked.</source>
            <translation>{stay}, wie verlangt.</translation>
        </message>
        <message>
            <source>{name} cuts {place}, too. No fix of the table applies.</source>
            <translation>{name} schneidet auch {place}. Kein Fix der Tabelle greift.</translation>
        </message>
        <message>
            <source>{name} would have cut {place}.</source>
            <translation>{name} hätte {place} geschnitten.</translation>
        </message>
        <message>
            <source>{cuts} Safe mode finds no boundary here.</source>
            <translation>{cuts} Der sichere Modus findet hier keine Grenze.</translation>
        </message>
        <message>
            <source>there, too</source>
            <translation>auch dort</translation>
        </message>
        <message>
            <source>behind the last</source>
            <translation>hinter der letzten</translation>
        </message>
        <message>
            <source>{signed} kept · {signed2}</source>
            <translation>{signed} behalten · {signed2}</translation>
        </message>
        <message>
            <source>{name} would have cut {place} and orphaned {orphans}; here {kept}.</source>
            <translation>{name} hätte {place} geschnitten und verwaist: {orphans}; hier {kept}.</translation>
        </message>
        <message>
            <source>{value} more</source>
            <translation>{value} weitere</translation>
        </message>
        <message>
            <source>this one</source>
            <translation>dieser</translation>
        </message>
        <message>
            <source>Minimums hold</source>
            <translation>Mindestmengen stimmen</translation>
        </message>
        <message>
            <source>where the reference cuts</source>
            <translation>wo die Referenz schneidet</translation>
        </message>
        <message>
            <source>not where the reference cuts</source>
            <translation>nicht wo die Referenz schneidet</translation>
        </message>
        <message>
            <source>Reference ({name})</source>
            <translation>Referenz ({name})</translation>
        </message>
        <message>
            <source>Nearby valid cuts</source>
            <translation>Gültige Schnitte in der Nähe</translation>
        </message>
        <message>
            <source>{name} would have cut {place} and orphaned {orphans}.</source>
            <translation>{name} hätte {place} geschnitten und verwaist: {orphans}.</translation>
        </message>
        <message>
            <source>Cut before {message}</source>
            <translation>Schnitt vor {message}</translation>
        </message>
        <message>
            <source>The work did not stop by itself, so its process was ended and started anew.</source>
            <translation>Die Arbeit hielt nicht von selbst an, darum wurde ihr Prozess beendet und neu gestartet.</translation>
        </message>
        <message>
            <source>No file is open now and session settings are at their defaults.</source>
            <translation>Keine Datei ist jetzt offen, und die Einstellungen der Sitzung stehen auf ihren Vorgaben.</translation>
        </message>
        <message>
            <source>The worker process ended unexpectedly ({ending}).</source>
            <translation>Der Arbeitsprozess endete unerwartet ({ending}).</translation>
        </message>
        <message>
            <source>It was started anew.</source>
            <translation>Er wurde neu gestartet.</translation>
        </message>
        <message>
            <source>Open it again</source>
            <translation>Wieder öffnen</translation>
        </message>
        <message>
            <source>Its process ended unexpectedly ({how}).</source>
            <translation>Sein Prozess endete unerwartet ({how}).</translation>
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
