;;; redline-preview.el --- Edits of Redline as overlays  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Shows an edit in the buffer before it is applied: lines that go are struck
;; out, lines that come are shown below them in the colours of their mode.
;; The text is not changed before the edit is accepted.

;;; Code:

(require 'cl-lib)
(require 'eglot)
(require 'ediff)

(declare-function redline-accept "redline")
(declare-function redline-reject "redline")
(declare-function redline-accept-change "redline")
(declare-function redline-reject-change "redline")
(declare-function redline-quit "redline")
(declare-function redline-offers--keep "redline-offers")
(declare-function redline-offers--forget "redline-offers")

(defface redline-removed
  '((t :inherit diff-removed :strike-through t :extend t))
  "Lines that an edit removes."
  :group 'redline)

(defface redline-added
  '((t :inherit diff-added :extend t))
  "Lines that an edit adds."
  :group 'redline)

(defface redline-target
  '((t :inherit region :extend t))
  "Lines that an edit would work on."
  :group 'redline)

(cl-defstruct redline--session
  "An edit that is shown in a buffer."
  id
  (state "generating")
  model
  (overlays (make-hash-table))
  (hunks (make-hash-table)))

(defvar-local redline--sessions nil
  "The edits that are shown in this buffer, the newest first.")

(defvar-local redline--is-compared nil
  "Whether Ediff shows the edits of this buffer, instead of overlays.")

(defvar-keymap redline-preview-mode-map
  :doc "Keys while an edit is shown in a buffer."
  "C-c C-a" #'redline-accept
  "C-c C-k" #'redline-reject
  "C-c C-n" #'redline-next-change
  "C-c C-p" #'redline-previous-change
  "C-c C-y" #'redline-accept-change
  "C-c C-d" #'redline-reject-change
  "C-c C-e" #'redline-ediff
  "C-g" #'redline-quit)

(define-minor-mode redline-preview-mode
  "Keys to accept and reject the edit that is shown in this buffer.
It is turned on and off with the edit."
  :lighter (:eval (redline--lighter)))

(defun redline--is-written (session)
  "Whether SESSION is still being written."
  (not (member (redline--session-state session) '("offered" "held"))))

(defun redline--lighter ()
  "Return what the mode line says of this buffer's edits: the model that writes."
  (let ((written (seq-find #'redline--is-written redline--sessions)))
    (concat " Edit" (when-let* ((model (and written
                                            (redline--session-model written))))
                      (format "[%s]" model)))))

;;; The server's notifications

(defclass redline-server (eglot-lsp-server) ()
  :documentation "Redline, with previews and completions.")

(cl-defmethod eglot-client-capabilities ((_server redline-server))
  "Add Redline's own capabilities."
  (let* ((all (cl-call-next-method))
         (document (plist-get all :textDocument)))
    (plist-put document :inlineCompletion (list :dynamicRegistration :json-false))
    ;; The edit of a code action would be applied at once; a command is previewed.
    (plist-put (plist-get document :codeAction) :resolveSupport '(:properties []))
    (plist-put all :experimental
               (append (list :redline (list :preview t :status t
                                            :inline (list :refresh t)))
                       (let ((others (plist-get all :experimental)))
                         (and (listp others) others))))))

(defun redline--buffer-of (id)
  "Return the buffer that shows the edit ID."
  (seq-find (lambda (buffer)
              (with-current-buffer buffer (redline--session id)))
            (buffer-list)))

(defun redline--session (id)
  "Return the edit ID of this buffer."
  (seq-find (lambda (each) (equal (redline--session-id each) id))
            redline--sessions))

(defmacro redline--in-buffer-of (id &rest body)
  "Run BODY in the buffer that shows the edit ID, if there is one."
  (declare (indent 1))
  `(when-let* ((buffer (redline--buffer-of ,id)))
     (with-current-buffer buffer
       (save-excursion
         (save-restriction
           (widen)
           ,@body)))))

(cl-defmethod eglot-handle-notification
  ((_server redline-server) (_method (eql redline/edit/began))
   &key sessionId uri &allow-other-keys)
  "Show the edit SESSIONID in the buffer of URI."
  (when-let* ((buffer (find-buffer-visiting (redline--path uri))))
    (with-current-buffer buffer
      (push (make-redline--session :id sessionId) redline--sessions)
      (redline-preview-mode 1))))

(cl-defmethod eglot-handle-notification
  ((_server redline-server) (_method (eql redline/edit/hunks))
   &key sessionId version full hunks removed &allow-other-keys)
  "Paint HUNKS of the edit SESSIONID, and forget those REMOVED.
If FULL is t, all earlier ones are forgotten.  VERSION is that of the
text; for another one, a later message follows."
  (redline--in-buffer-of sessionId
    (when (eql version (redline--version))
      (let ((session (redline--session sessionId)))
        (if (eq full t)
            (redline--erase session)
          (seq-doseq (id removed) (redline--forget session id)))
        (seq-doseq (hunk hunks) (redline--paint session hunk))
        (unless (redline--is-written session)
          (redline-offers--keep session))))))

(cl-defmethod eglot-handle-notification
  ((server redline-server) (_method (eql redline/edit/ended))
   &key sessionId &allow-other-keys)
  "Remove the edit SESSIONID from the screen.
One that ends because SERVER does comes back."
  (redline--in-buffer-of sessionId
    (unless (eglot--shutdown-requested server)
      (redline-offers--forget sessionId))
    (redline--erase (redline--session sessionId))
    (setq redline--sessions
          (delq (redline--session sessionId) redline--sessions))
    (unless redline--sessions
      (redline-preview-mode -1))))

(cl-defmethod eglot-handle-notification
  ((_server redline-server) (_method (eql redline/status))
   &key sessions &allow-other-keys)
  "Note the state of the edits SESSIONS, and the models that write them."
  (seq-doseq (each sessions)
    (redline--in-buffer-of (plist-get each :sessionId)
      (let* ((session (redline--session (plist-get each :sessionId)))
             (was-written (redline--is-written session)))
        (setf (redline--session-state session) (plist-get each :state)
              (redline--session-model session) (plist-get each :model))
        (when (and was-written (not (redline--is-written session)))
          (redline-offers--keep session))
        (force-mode-line-update)))))

(defun redline--version ()
  "Return the version of this buffer's text that the server knows."
  (if (boundp 'eglot--docver)
      (symbol-value 'eglot--docver)
    (symbol-value 'eglot--versioned-identifier)))

(defun redline--path (uri)
  "Return the path of URI."
  (if (fboundp 'eglot-uri-to-path)
      (funcall 'eglot-uri-to-path uri)
    (with-no-warnings (funcall 'eglot--uri-to-path uri))))

;;; Painting

(defun redline--line-start (line)
  "Return the start of LINE, counted from 0."
  (goto-char (point-min))
  (forward-line line)
  (point))

(defun redline--rows (range)
  "Return the first line of RANGE, and the line after its last.
At the end of a text without a final line end, a range begins or ends
behind the last character of its line."
  (cl-flet ((row (place)
              (+ (plist-get place :line)
                 (if (> (plist-get place :character) 0) 1 0))))
    (let ((first (row (plist-get range :start))))
      (cons first (max first (row (plist-get range :end)))))))

(defun redline--new-lines (hunk)
  "Return the text that HUNK adds, as whole lines."
  (let ((text (string-replace "\r" "" (plist-get hunk :newText)))
        (start (plist-get (plist-get hunk :range) :start)))
    (when (> (plist-get start :character) 0)
      (setq text (string-remove-prefix "\n" text)))
    (if (or (string-empty-p text) (string-suffix-p "\n" text))
        text
      (concat text "\n"))))

(defun redline--coloured (text)
  "Return TEXT in the colours of this buffer's mode, as lines that come."
  (let ((mode major-mode))
    (with-current-buffer (get-buffer-create (format " *redline %s*" mode))
      (unless (eq major-mode mode)
        (delay-mode-hooks (funcall mode)))
      (erase-buffer)
      (insert text)
      (ignore-errors (font-lock-ensure))
      (let ((coloured (buffer-string)))
        (add-face-text-property 0 (length coloured) 'redline-added t coloured)
        coloured))))

(defun redline--paint (session hunk)
  "Paint HUNK of SESSION, or repaint it."
  (let* ((id (plist-get hunk :id))
         (rows (redline--rows (plist-get hunk :range)))
         (from (redline--line-start (car rows)))
         (to (redline--line-start (cdr rows)))
         (text (redline--new-lines hunk))
         (is-cut (and (= to (point-max)) (not (bolp)))))
    (redline--forget session id)
    (let ((overlay (make-overlay from to nil t nil)))
      (overlay-put overlay 'redline session)
      (overlay-put overlay 'redline-hunk id)
      (overlay-put overlay 'redline-text
                   (concat (and is-cut "\n") (redline--coloured text)))
      (overlay-put overlay 'priority 100)
      (redline--draw overlay (not redline--is-compared))
      (puthash id overlay (redline--session-overlays session))
      (puthash id hunk (redline--session-hunks session)))))

(defun redline--draw (overlay is-shown)
  "Show what OVERLAY proposes, or hide it, as IS-SHOWN says."
  (overlay-put overlay 'face (and is-shown 'redline-removed))
  (overlay-put overlay 'after-string
               (and is-shown (overlay-get overlay 'redline-text))))

(defun redline--forget (session id)
  "Remove the hunk ID of SESSION from the screen."
  (when-let* ((overlay (gethash id (redline--session-overlays session))))
    (delete-overlay overlay))
  (remhash id (redline--session-overlays session))
  (remhash id (redline--session-hunks session)))

(defun redline--erase (session)
  "Remove all hunks of SESSION from the screen."
  (dolist (id (hash-table-keys (redline--session-overlays session)))
    (redline--forget session id)))

(defun redline--expect (session change)
  "Note that CHANGE of SESSION is accepted, or all if it is nil."
  (dolist (overlay (if change (list change)
                     (hash-table-values (redline--session-overlays session))))
    (overlay-put overlay 'redline-accepted t)))

(cl-defmethod eglot-handle-request :after
  ((_server redline-server) (_method (eql workspace/applyEdit)) &rest _)
  "Remove what was accepted from the screen, since it is in the buffer now.
The server's message about it comes later."
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (dolist (session redline--sessions)
        (dolist (overlay (hash-table-values (redline--session-overlays session)))
          (when (overlay-get overlay 'redline-accepted)
            (redline--forget session (overlay-get overlay 'redline-hunk))))))))

;;; Walking

(defun redline--changes ()
  "Return the overlays of this buffer's changes, from the top."
  (sort (seq-mapcat (lambda (session)
                      (hash-table-values (redline--session-overlays session)))
                    redline--sessions)
        (lambda (one other) (< (overlay-start one) (overlay-start other)))))

(defun redline--offered (id)
  "Say how many changes the edit ID has, and where they are if none is in sight."
  (or (redline--in-buffer-of id
        (let* ((session (redline--session id))
               (all (seq-filter (lambda (each)
                                  (eq (overlay-get each 'redline) session))
                                (redline--changes)))
               (window (get-buffer-window)))
          (when all
            (format "%d change%s%s, " (length all) (if (cdr all) "s" "")
                    (if (and window
                             (seq-some (lambda (each)
                                         (pos-visible-in-window-p
                                          (overlay-start each) window))
                                       all))
                        ""
                      (format " from line %d"
                              (line-number-at-pos (overlay-start (car all)) t)))))))
      ""))

(defun redline--go (changes)
  "Go to the first of CHANGES, and say which of all it is."
  (unless changes
    (user-error "No change is shown in this buffer"))
  (push-mark nil t)
  (goto-char (overlay-start (car changes)))
  (let ((all (redline--changes)))
    (message "Redline: change %d of %d"
             (1+ (seq-position all (car changes))) (length all))))

;;;###autoload
(defun redline-next-change ()
  "Go to the next change; after the last comes the first."
  (interactive)
  (let ((all (redline--changes)))
    (redline--go (or (seq-filter (lambda (each) (> (overlay-start each) (point)))
                                 all)
                     all))))

;;;###autoload
(defun redline-previous-change ()
  "Go to the previous change; after the first comes the last."
  (interactive)
  (let ((all (reverse (redline--changes))))
    (redline--go (or (seq-filter (lambda (each) (< (overlay-start each) (point)))
                                 all)
                     all))))

(defun redline--nearest-change ()
  "Return the overlay of the change that is nearest to point."
  (let ((line (line-number-at-pos nil t)))
    (cl-flet ((away (each)
                (let ((first (line-number-at-pos (overlay-start each) t))
                      (last (line-number-at-pos (overlay-end each) t)))
                  (max 0 (- first line) (- line (max first (1- last)))))))
      (car (sort (redline--changes)
                 (lambda (one other) (< (away one) (away other))))))))

(defun redline--session-here ()
  "Return the edit nearest to point."
  (or (when-let* ((change (redline--nearest-change)))
        (overlay-get change 'redline))
      (car redline--sessions)
      (user-error "No edit is shown in this buffer")))

;;; Comparing

(defun redline--proposed ()
  "Return the text of this buffer with all shown changes."
  (let ((text (buffer-substring-no-properties (point-min) (point-max)))
        (changes (mapcar
                  (lambda (each)
                    (list (overlay-start each) (overlay-end each)
                          (gethash (overlay-get each 'redline-hunk)
                                   (redline--session-hunks
                                    (overlay-get each 'redline)))))
                  (redline--changes))))
    (with-temp-buffer
      (insert text)
      (pcase-dolist (`(,from ,to ,hunk) (nreverse changes))
        (delete-region from to)
        (goto-char from)
        (unless (bolp) (insert "\n"))
        (insert (redline--new-lines hunk)))
      (buffer-string))))

;;;###autoload
(defun redline-ediff ()
  "Compare this buffer with the text as it would be.
When Ediff ends, the windows and the preview are as before."
  (interactive)
  (unless redline--sessions
    (user-error "No edit is shown in this buffer"))
  (let ((proposed (save-restriction (widen) (redline--proposed)))
        (mode major-mode)
        (windows (current-window-configuration))
        (original (current-buffer)))
    (redline--compare t)
    (with-current-buffer
        (get-buffer-create (format "*redline: %s*" (buffer-name original)))
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert proposed))
      (delay-mode-hooks (funcall mode))
      (setq buffer-read-only t)
      (let ((other (current-buffer)))
        (ediff-buffers
         original other
         (list (lambda ()
                 (add-hook 'ediff-after-quit-hook-internal
                           (lambda ()
                             (redline--end-compare original other windows))
                           nil t))))))))

(defun redline--compare (is-compared)
  "Hide what this buffer's edits propose, or show it again, as IS-COMPARED says.
Ediff would compare lines that are covered by it."
  (setq redline--is-compared is-compared)
  (dolist (each (redline--changes))
    (redline--draw each (not is-compared))))

(defun redline--end-compare (original other windows)
  "Show the edits of ORIGINAL in it again, in WINDOWS, and forget the buffer OTHER."
  (when (buffer-live-p other)
    (kill-buffer other))
  (when (buffer-live-p original)
    (with-current-buffer original
      (redline--compare nil))
    (set-window-configuration windows)))

(provide 'redline-preview)
;;; redline-preview.el ends here
